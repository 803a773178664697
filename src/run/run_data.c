/* The data of a run: read again as they were, and told from others by their fingerprint; and its embeddings,
 * which belong to them. */
#include "run/run.h"

#include "base/memory.h"
#include "data/readers.h"
#include "io/array.h"
#include "io/files/file.h"
#include "methods/method.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Comparison ------------------------------------------------------------------------------ */

graco_status graco_run_compare(char words[GRACO_DIFFERENCES], graco_run *run, int64_t index,
                               const graco_dataset *data)
{
    graco_training about;
    PASS(graco_run_training(&about, run, index));
    if (run->compared != data)
        PASS(graco_dataset_fingerprint(run->fingerprint, data));
    run->compared = data;
    const struct method *method = NULL;
    if (about.config)
        PASS(method_find(&method, about.config->method));
    method_differences(words, method, about.config && about.config->inductive, about.fingerprint,
                       run->fingerprint);
    return GRACO_OK;
}

/* ---- Loading --------------------------------------------------------------------------------- */

static graco_status add_note(struct graco_dataset *data, const char *added, const char *run)
{
    char note[1024];
    int slot = 0;
    while (data->notes[slot])
        slot++;
    snprintf(note, sizeof note, "%s: read as the data of %.200s were: %.600s", data->name, run,
             added);
    return memory_string(&data->notes[slot], note);
}

/* Where a data set may be, and how it was read there. */
struct spot {
    const char *source;
    const struct reading *reading;
};

static graco_status load(struct graco_dataset **out, char words[GRACO_DIFFERENCES],
                         struct graco_run *run, struct spot spot, const graco_load_options *options)
{
    graco_load_options all = options ? *options : (graco_load_options){0};
    struct graco_dataset *data = NULL;
    graco_status status = GRACO_OK;
    char added[512];
    reading_apply(&all, added, sizeof added, spot.reading, spot.source);
    TRY(graco_dataset_load(&data, spot.source, &all));
    if (*added)
        TRY(add_note(data, added, run->trainings[0].folder));
    run->compared = NULL; /* another one may have had this address */
    if (words)
        TRY(graco_run_compare(words, run, 0, data));
    *out = data;
    data = NULL;
done:
    graco_dataset_free(data);
    return status;
}

enum { SPOTS = 3 };

/* Where the data of a training may be now: under their name, at the path that was typed, and at the same place
 * seen from the run. */
static graco_status list_spots(struct spot spots[SPOTS], struct reading *moved,
                               const struct run_training *training)
{
    const struct reading *was = &training->reading;
    const char *name = training->about.dataset;
    if (name && was->source && strcmp(name, was->source) != 0 && !strchr(name, '/'))
        spots[0] = (struct spot){name, was};
    spots[1] = (struct spot){was->source, was};
    PASS(reading_move(moved, was, training->folder));
    spots[2] = (struct spot){moved->source, moved};
    return GRACO_OK;
}

/* The first place with the data that were trained on decides; else the first with others, and else why those
 * at the path that was typed could not be read. */
static graco_status look_for(struct graco_dataset **out, char *words, bool *missing,
                             struct graco_run *run, const graco_load_options *options)
{
    struct spot spots[SPOTS] = {{0}};
    struct reading moved = {0};
    graco_status status = GRACO_OK, why = GRACO_OK;
    char message[1024] = "", other[GRACO_DIFFERENCES];
    *out = NULL;
    TRY(list_spots(spots, &moved, &run->trainings[0]));
    *missing = true;
    for (int p = 0; p < SPOTS; p++) {
        struct graco_dataset *data = NULL;
        char *path = NULL;
        if (!spots[p].source)
            continue;
        graco_status failed = dataset_find(&path, spots[p].source);
        memory_free(path);
        bool found = failed == GRACO_OK;
        if (found)
            failed = load(&data, other, run, spots[p], options);
        TRY(failed == GRACO_ERROR_MEMORY ? failed : GRACO_OK);
        *missing = *missing && !found;
        if (failed != GRACO_OK && (p == 1 || why == GRACO_OK)) {
            why = failed;
            snprintf(message, sizeof message, "%s", graco_message());
        }
        if (data && (!*out || !*other)) {
            graco_dataset_free(*out);
            *out = data;
            snprintf(words, GRACO_DIFFERENCES, "%s", other);
        } else if (data) {
            graco_dataset_free(data);
            run->compared = NULL;
        }
        if (*out && !*words)
            goto done;
    }
    if (!*out)
        FAIL(why, "%s", message);
done:
    if (status != GRACO_OK) {
        graco_dataset_free(*out);
        *out = NULL;
    }
    reading_clear(&moved);
    return status;
}

graco_status run_data(struct graco_dataset **out, char words[GRACO_DIFFERENCES], bool *missing,
                      struct graco_run *run, const char *source, const graco_load_options *options)
{
    graco_training about;
    char *path = NULL;
    *missing = false;
    PASS(graco_run_training(&about, run, 0));
    if (!source && !about.source)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s does not say where the data set of the training is",
                           run->trainings[0].folder);
    if (!source)
        return look_for(out, words, missing, run, options);
    graco_status status = dataset_find(&path, source);
    *missing = status == GRACO_ERROR_IO;
    memory_free(path);
    PASS(status);
    return load(out, words, run, (struct spot){source, &run->trainings[0].reading}, options);
}

graco_status graco_run_data(graco_dataset **out, char words[GRACO_DIFFERENCES], graco_run *run,
                            const char *source, const graco_load_options *options)
{
    bool missing;
    char unasked[GRACO_DIFFERENCES];
    return run_data(out, words || source ? words : unasked, &missing, run, source, options);
}

/* ---- Embeddings ------------------------------------------------------------------------------ */

/* The rows, in place where the file has float32. */
static graco_status take_rows(struct run_training *training)
{
    struct embeddings *from = &training->embeddings;
    const void *items = from->matrix.array.data;
    training->Z = (graco_matrix){from->rows, from->cols, NULL};
    if (from->matrix.array.type == ARRAY_F32 && !from->matrix.array.owned) {
        memcpy(&training->Z.data, &items, sizeof items); /* mapped: nobody writes there */
        return GRACO_OK;
    }
    graco_status status = array_to_f32(&training->converted, &from->matrix.array);
    training->Z.data = training->converted;
    return status == GRACO_OK ? status : status_context(status, "%s", from->matrix_path);
}

void graco_run_close(graco_run *run, int64_t index)
{
    struct run_training *training = &run->trainings[index];
    embeddings_free_names(training->names);
    memory_free(training->converted);
    embeddings_close(&training->embeddings);
    training->names = NULL;
    training->converted = NULL;
    training->embeddings = (struct embeddings){0};
    training->opened = training->handed = false;
}

static graco_status open_embeddings(struct graco_run *run, int64_t index)
{
    struct run_training *training = &run->trainings[index];
    graco_status status = GRACO_OK;
    if (training->opened)
        return GRACO_OK;
    if (training->numbered && !file_exists(training->folder)) /* none of several is passed over */
        TRY(embeddings_fail_none(training->folder));
    TRY(embeddings_open(&training->embeddings, training->folder));
    TRY(embeddings_read_names(&training->names, &training->embeddings));
    TRY(take_rows(training));
    training->opened = true;
done:
    if (status != GRACO_OK)
        graco_run_close(run, index);
    return status;
}

static graco_status check_names(const struct run_training *training,
                                const struct graco_dataset *data)
{
    for (int64_t i = 0; i < data->graph->nodes; i++)
        if (strcmp(training->names[i], data->node_ids[i]) != 0)
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "node %" PRId64 " is called '%.100s' in %s and '%.100s' in data set "
                               "'%s'; expected the same nodes in the same order",
                               i, training->names[i], training->folder, data->node_ids[i],
                               data->name);
    return GRACO_OK;
}

/* Rows of another graph are other nodes. */
static graco_status check_data(struct graco_run *run, int64_t index,
                               const struct graco_dataset *data)
{
    const struct run_training *training = &run->trainings[index];
    char words[GRACO_DIFFERENCES];
    PASS(graco_run_compare(words, run, index, data));
    if (*words)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s was trained on other data than %s, which differs in: %s; its "
                           "embeddings are not of these data",
                           training->folder, data->name, words);
    if (training->names && data->node_ids && data->graph->nodes == training->Z.rows)
        return check_names(training, data);
    return GRACO_OK;
}

graco_status graco_run_embeddings(const graco_matrix **Z, char *const **names, graco_run *run,
                                  int64_t index, const graco_dataset *data)
{
    struct run_training *training = &run->trainings[index];
    PASS(open_embeddings(run, index));
    if (data)
        PASS(check_data(run, index, data));
    training->handed = true;
    *Z = &training->Z;
    if (names)
        *names = training->names;
    return GRACO_OK;
}

graco_status graco_run_find_nodes(int64_t *rows, graco_run *run, int64_t index,
                                  const char *const *of, int64_t count)
{
    struct run_training *training = &run->trainings[index];
    PASS(open_embeddings(run, index));
    return embeddings_find(rows, &training->embeddings, of, count);
}
