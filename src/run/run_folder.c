/* The run folder. Small files are replaced whole, by a temporary one; metrics.jsonl alone grows, a whole
 * line at a time, and a line that could not be written whole is cut off again. */
#include "run/run_folder.h"

#include "graco_command.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/files/file.h"
#include "io/json/json.h"
#include "io/files/lock.h"
#include "io/files/system.h"
#include "io/name_lines.h"
#include "methods/preset_file.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t METRICS_LIMIT = (int64_t)1 << 32;

graco_status run_folder_open(struct run_folder **out, const char *path)
{
    graco_status status = GRACO_OK;
    struct run_folder *run = NULL;
    char *lock = NULL, *parent = NULL;
    TRY(file_make_folder(path));
    TRY(file_parent(&parent, path));
    TRY(file_sync_folder(parent));
    TRY(memory_zalloc(&run, 1, sizeof *run));
    run->stream = -1;
    TRY(memory_string(&run->path, path));
    TRY(memory_path(&lock, path, "lock"));
    TRY(memory_path(&run->model, path, "model.safetensors"));
    TRY(memory_path(&run->config, path, "config.json"));
    TRY(memory_path(&run->names, path, "node_ids.txt"));
    TRY(memory_path(&run->metrics, path, "metrics.jsonl"));
    TRY(memory_path(&run->embeddings, path, "embeddings.npy"));
    TRY(lock_take(&run->lock, lock, path));
    *out = run;
    run = NULL;
done:
    memory_free(lock);
    memory_free(parent);
    run_folder_free(run);
    return status;
}

void run_folder_free(struct run_folder *run)
{
    if (!run)
        return;
    if (run->stream >= 0)
        close(run->stream);
    lock_free(run->lock);
    memory_free(run->path);
    memory_free(run->model);
    memory_free(run->config);
    memory_free(run->names);
    memory_free(run->metrics);
    memory_free(run->embeddings);
    memory_free(run);
}

/* Where each part's columns are, if the parts are kept whole: from the first of these numbers to below the second. */
static void put_parts(struct writer *json, const struct graco_model *model)
{
    int64_t first = 0, count = 0;
    const char *name = graco_model_part(model, 0, &first, &count);
    if (!name)
        return;
    writer_open(json, "part_columns", '{');
    for (int i = 0; (name = graco_model_part(model, i, &first, &count)); i++) {
        writer_open(json, name, '[');
        writer_integer(json, NULL, first);
        writer_integer(json, NULL, first + count);
        writer_close(json);
    }
    writer_close(json);
}

graco_status run_folder_write_config(const struct run_folder *run, const struct graco_model *model,
                                     const struct graco_dataset *data)
{
    graco_status status = GRACO_OK;
    const struct graco_config *config = &model->config;
    struct writer json = {.style = WRITER_PRETTY};
    const char *key;
    char text[64];
    writer_open(&json, NULL, '{');
    writer_string(&json, "graco", graco_version());
    writer_string(&json, "dataset", data->name);
    writer_integer(&json, "nodes", dataset_nodes(data));
    writer_integer(&json, "edges", data->shard ? data->shard->info.edges : data->graph->edges);
    writer_integer(&json, "input", data->features.cols);
    writer_string(&json, "fingerprint", model->fingerprint);
    if (data->reading.source) {
        writer_open(&json, "reading", '{');
        TRY(reading_put(&json, &data->reading, run->path));
        writer_close(&json);
    }
    writer_string(&json, "method", config->method);
    for (int i = 0; (key = graco_config_key(config, i, NULL)); i++) {
        TRY(graco_config_get(config, key, text, sizeof text));
        preset_put(&json, key, text);
    }
    put_parts(&json, model);
    writer_close(&json);
    TRY(writer_finish(&json));
    TRY(file_write_text(run->config, &json.text));
    TRY(name_lines_write(run->names, data->node_ids, dataset_nodes(data)));
done:
    writer_clear(&json);
    return status;
}

graco_status run_folder_empty_embeddings(struct run_folder *run)
{
    bool there = !run->emptied && file_exists(run->embeddings);
    run->emptied = true;
    return there ? file_write_atomic(run->embeddings, "", 0) : GRACO_OK;
}

/* Keeps the old metrics up to `epochs`. The first line that is about a later epoch, does not follow the
 * one before it or is not whole is dropped with all behind it. */
static graco_status cut_metrics(struct run_folder *run, int64_t epochs)
{
    graco_status status = GRACO_OK;
    uint8_t *bytes = NULL, *end;
    int64_t length = 0, kept = 0;
    double last = 0;
    struct curve_line line;
    bool good;
    if (epochs == 0 || !file_exists(run->metrics))
        return file_write_atomic(run->metrics, "", 0);
    TRY(file_read(&bytes, &length, run->metrics, METRICS_LIMIT));
    while ((end = memchr(bytes + kept, '\n', (size_t)(length - kept)))) {
        TRY(curve_parse(&line, &good, bytes + kept, end - bytes - kept));
        double epoch = line.at[CURVE_EPOCH];
        if (!good || epoch <= last || epoch > (double)epochs)
            break;
        last = epoch;
        kept = end - bytes + 1;
    }
    TRY(file_write_atomic(run->metrics, bytes, kept));
    run->length = kept;
done:
    memory_free(bytes);
    return status;
}

graco_status run_folder_start_metrics(struct run_folder *run, int64_t epochs)
{
    graco_status status = GRACO_OK;
    TRY(cut_metrics(run, epochs));
    run->stream = system_open(run->metrics, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
    if (run->stream < 0)
        FAIL(GRACO_ERROR_IO, "%s: cannot be appended to: %s", run->metrics, strerror(errno));
done:
    return status;
}

static graco_status append(struct run_folder *run, const struct text *line)
{
    PASS(line->status);
    if (system_write(run->stream, line->bytes, (size_t)line->length)) {
        run->length += line->length;
        return GRACO_OK;
    }
    int reason = errno;
    bool cut = ftruncate(run->stream, run->length) == 0;
    return status_fail(GRACO_ERROR_IO, "cannot append to %s: %s%s", run->metrics, strerror(reason),
                       cut ? "" : "; its last line may be torn");
}

graco_status run_folder_log(struct run_folder *run, const graco_epoch *epoch)
{
    struct writer json = {.style = WRITER_DATA};
    writer_open(&json, NULL, '{');
    writer_integer(&json, "epoch", epoch->epoch);
    writer_real(&json, "loss", epoch->loss);
    if (isfinite(epoch->mutual_information))
        writer_real(&json, "mutual_information", epoch->mutual_information);
    if (epoch->floored)
        writer_integer(&json, "floored", epoch->floored);
    if (epoch->best_epoch) {
        if (epoch->cost != epoch->loss && isfinite(epoch->cost))
            writer_real(&json, "cost", epoch->cost);
        writer_integer(&json, "best_epoch", epoch->best_epoch);
        if (epoch->ended)
            writer_string(&json, "ended", epoch->ended);
    }
    writer_real(&json, "seconds", epoch->seconds);
    writer_integer(&json, "peak_rss_bytes", graco_peak_memory());
    writer_close(&json);
    writer_finish(&json);
    graco_status status = append(run, &json.text);
    writer_clear(&json);
    return status;
}

graco_status run_folder_sync(const struct run_folder *run)
{
    if (run->stream >= 0 && system_sync(run->stream) != 0)
        return status_fail(GRACO_ERROR_IO, "cannot sync %s: %s", run->metrics, strerror(errno));
    return GRACO_OK;
}

/* Trainings of seeds and splits lie two folders deep. */
static graco_status remove_folder(const char *folder, int depth)
{
    graco_status status = GRACO_OK;
    struct file_list list = {0};
    char *path = NULL;
    TRY(file_list_folder(&list, folder));
    for (int64_t i = 0; i < list.count; i++) {
        TRY(memory_path(&path, folder, list.names[i]));
        TRY(depth > 0 && file_is_folder(path) ? remove_folder(path, depth - 1) : file_remove(path));
        memory_free(path);
        path = NULL;
    }
    if (rmdir(folder) != 0)
        FAIL(GRACO_ERROR_IO, "cannot remove %s: %s", folder, strerror(errno));
done:
    file_list_clear(&list);
    memory_free(path);
    return status;
}

graco_status graco_run_remove(const char *folder)
{
    return file_is_folder(folder) ? remove_folder(folder, 2) : GRACO_OK;
}
