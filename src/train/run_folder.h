/* The run folder: config.json, metrics.jsonl (a line per epoch), model.safetensors, embeddings.npy.
 */
#ifndef TRAIN_RUN_FOLDER_H
#define TRAIN_RUN_FOLDER_H

#include "config/config.h"

struct run_folder {
    char *model, *config, *metrics, *embeddings; /* paths */
    struct lock *lock;
    int stream;     /* metrics.jsonl, open for appending; -1: not yet */
    int64_t length; /* of metrics.jsonl: all of it whole lines */
};

/* Makes the folder if it is not there, works out the paths, and takes the folder's lock, "lock" in
 * it, which is another's if a training is under way in it: GRACO_ERROR_IO. */
graco_status run_folder_open(struct run_folder **out, const char *path);
void run_folder_free(struct run_folder *run);

/* Writes config.json: the method, every key that it reads, the data set's name and size, the version. */
graco_status run_folder_write_config(const struct run_folder *run,
                                     const struct graco_config *config,
                                     const graco_dataset_info *info);

/* Opens metrics.jsonl with its first `epochs` lines kept, later ones dropped. */
graco_status run_folder_start_metrics(struct run_folder *run, int64_t epochs);

/* Appends one line, or on failure nothing. A killed training loses no line that was appended. */
graco_status run_folder_log(struct run_folder *run, const graco_epoch *epoch);

/* Waits until the disk has all lines: before a checkpoint, whose epochs they are. */
graco_status run_folder_sync(const struct run_folder *run);

#endif
