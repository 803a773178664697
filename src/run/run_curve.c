/* Reading metrics.jsonl, once or again and again while a training appends to it. A resumed training puts a new
 * file in the place of the old one, so the file stays open between two calls: its inode then tells whether the
 * path still names it. */
#include "run/run.h"

#include "base/memory.h"
#include "io/files/system.h"
#include "io/json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t METRICS_LIMIT = (int64_t)1 << 32;
static const double EPOCHS_LIMIT = 1e15; /* more is no count */

graco_status curve_parse(struct curve_line *out, bool *good, const uint8_t *bytes, int64_t length)
{
    static const char *const keys[CURVE_COLUMNS] = {"epoch", "loss", "mutual_information",
                                                    "seconds"};
    struct json *line = NULL;
    const char *ended = "";
    graco_status status = json_parse(&line, bytes, length);
    *good = false;
    *out = (struct curve_line){0};
    if (status == GRACO_ERROR_FORMAT)
        return GRACO_OK;
    PASS(status);
    for (int c = 0; c < CURVE_COLUMNS; c++)
        if (!json_as_double(&out->at[c], json_find(line, keys[c])))
            out->at[c] = (double)NAN;
    json_as_int(&out->peak, json_find(line, "peak_rss_bytes"));
    json_as_int(&out->best_epoch, json_find(line, "best_epoch"));
    json_as_string(&ended, json_find(line, "ended"));
    snprintf(out->ended, sizeof out->ended, "%.40s", ended);
    *good = out->at[CURVE_EPOCH] > 0 && out->at[CURVE_EPOCH] < EPOCHS_LIMIT;
    json_free(line);
    return GRACO_OK;
}

static graco_status add_line(struct run_curve *curve, const struct curve_line *line)
{
    if (curve->count == curve->room) {
        int64_t more = curve->room ? 2 * curve->room : 256;
        for (int c = 0; c < CURVE_COLUMNS; c++)
            PASS(memory_grow(&curve->at[c], curve->count, more, sizeof **curve->at));
        curve->room = more;
    }
    for (int c = 0; c < CURVE_COLUMNS; c++)
        curve->at[c][curve->count] = line->at[c];
    curve->count++;
    curve->peak = line->peak > curve->peak ? line->peak : curve->peak;
    curve->best_epoch = line->best_epoch ? line->best_epoch : curve->best_epoch;
    memcpy(curve->ended, line->ended, sizeof curve->ended);
    return GRACO_OK;
}

/* The lines up to the first that is not whole, or whose epoch does not follow. */
static graco_status add_lines(struct run_curve *curve, const uint8_t *bytes, int64_t length)
{
    const uint8_t *end, *at = bytes;
    struct curve_line line;
    bool good = true;
    while (good && (end = memchr(at, '\n', (size_t)(bytes + length - at)))) {
        double last = curve->count ? curve->at[CURVE_EPOCH][curve->count - 1] : 0;
        PASS(curve_parse(&line, &good, at, end - at));
        good = good && line.at[CURVE_EPOCH] > last;
        if (!good)
            break;
        PASS(add_line(curve, &line));
        curve->offset += end + 1 - at;
        at = end + 1;
    }
    curve->rest = bytes + length - at;
    return GRACO_OK;
}

void curve_close(struct run_curve *curve)
{
    if (curve->file)
        system_close(curve->file - 1);
    curve->file = 0;
}

static void start_again(struct run_curve *curve)
{
    curve_close(curve);
    curve->offset = curve->rest = curve->count = curve->peak = curve->best_epoch = 0;
    curve->ended[0] = '\0';
}

void curve_clear(struct run_curve *curve)
{
    start_again(curve);
    for (int c = 0; c < CURVE_COLUMNS; c++)
        memory_free(curve->at[c]);
}

static graco_status fail_read(const char *path)
{
    return status_fail(GRACO_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
}

/* Opens the file unless the open one is still at the path, with all that was read of it. A file that is not
 * there has no epochs. *left: how many bytes there are to read. */
static graco_status open_again(struct run_curve *curve, int64_t *left, const char *path)
{
    struct stat there;
    *left = 0;
    if (!curve->file || !system_same_file(curve->file - 1, path) ||
        fstat(curve->file - 1, &there) != 0 || there.st_size < curve->offset)
        start_again(curve);
    if (!curve->file)
        curve->file = system_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) + 1;
    if (!curve->file)
        return errno == ENOENT || errno == ENOTDIR ? GRACO_OK : fail_read(path);
    if (fstat(curve->file - 1, &there) != 0)
        return fail_read(path);
    if (!S_ISREG(there.st_mode))
        return status_fail(GRACO_ERROR_IO, "cannot read %s: it is not a regular file", path);
    *left = there.st_size - curve->offset;
    return *left <= METRICS_LIMIT
               ? GRACO_OK
               : status_fail(GRACO_ERROR_FORMAT, "%s has %lld bytes; expected at most %lld", path,
                             (long long)there.st_size, (long long)METRICS_LIMIT);
}

static graco_status follow(struct run_curve *curve, const char *path)
{
    uint8_t *bytes = NULL;
    int64_t left = 0;
    graco_status status = GRACO_OK;
    TRY(open_again(curve, &left, path));
    if (left == 0)
        goto done;
    TRY(memory_alloc(&bytes, left, 1));
    if (lseek(curve->file - 1, curve->offset, SEEK_SET) < 0)
        FAIL(GRACO_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
    ssize_t length = system_read(curve->file - 1, bytes, (size_t)left);
    TRY(length < 0 ? fail_read(path) : GRACO_OK);
    TRY(add_lines(curve, bytes, length));
done:
    memory_free(bytes);
    return status;
}

graco_status graco_run_curve(graco_curve *out, graco_run *run, int64_t index)
{
    struct run_training *training = &run->trainings[index];
    struct run_curve *curve = &training->curve;
    char *path = NULL;
    PASS(memory_path(&path, training->folder, "metrics.jsonl"));
    graco_status status = follow(curve, path);
    memory_free(path);
    PASS(status);
    *out = (graco_curve){.count = curve->count,
                         .epoch = curve->at[CURVE_EPOCH],
                         .loss = curve->at[CURVE_LOSS],
                         .information = curve->at[CURVE_INFORMATION],
                         .seconds = curve->at[CURVE_SECONDS],
                         .peak_bytes = curve->peak,
                         .best_epoch = curve->best_epoch,
                         .ended = curve->ended,
                         .there = curve->file,
                         .rest = curve->rest};
    return GRACO_OK;
}
