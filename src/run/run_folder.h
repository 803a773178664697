/* The run folder: config.json, node_ids.txt (the names of the nodes), metrics.jsonl (a line per
 * epoch), model.safetensors, embeddings.npy. */
#ifndef RUN_RUN_FOLDER_H
#define RUN_RUN_FOLDER_H

#include "data/dataset.h"
#include "layers/model.h"

struct run_folder {
    char *path, *model, *config, *names, *metrics, *embeddings;
    struct lock *lock;
    bool emptied;   /* run_folder_empty_embeddings was called */
    int stream;     /* metrics.jsonl, open for appending; -1: not yet */
    int64_t length; /* of metrics.jsonl: all of it whole lines */
};

/* Makes the folder if it is not there, works out the paths, and takes the folder's lock, "lock" in
 * it, which is another's if a training is under way in it: GRACO_ERROR_IO. */
graco_status run_folder_open(struct run_folder **out, const char *path);
void run_folder_free(struct run_folder *run);

/* Writes config.json and node_ids.txt: the version, the data set's name, size and fingerprint
 * and how it was read, the method and every key that it reads; the names of the nodes, if they
 * have any. */
graco_status run_folder_write_config(const struct run_folder *run, const struct graco_model *model,
                                     const struct graco_dataset *data);

/* Makes embeddings.npy an empty file, if there is one, the first time it is called: to be called before
 * a newer checkpoint is written, so that no embeddings of an older one are taken for its own. */
graco_status run_folder_empty_embeddings(struct run_folder *run);

/* Opens metrics.jsonl with the lines of epochs 1 .. `epochs` kept, later ones dropped. */
graco_status run_folder_start_metrics(struct run_folder *run, int64_t epochs);

/* Appends one line, or on failure nothing. A killed training loses no line that was appended. */
graco_status run_folder_log(struct run_folder *run, const graco_epoch *epoch);

/* Waits until the disk has all lines: before a checkpoint, whose epochs they are. */
graco_status run_folder_sync(const struct run_folder *run);

#endif
