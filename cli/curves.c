/* Reading metrics.jsonl. A resumed training puts a new file in the place of the old one, so the file
 * stays open between two reads: its inode then tells whether the path still names it. */
#include "curves.h"

#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE_MAX_BYTES = 1024, NAME_MAX_BYTES = 80 };

double curves_number(const char *text, const char *name)
{
    char quoted[NAME_MAX_BYTES];
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *found = strstr(text, quoted);
    return found ? strtod(found + strlen(quoted), NULL) : NAN;
}

static bool grow(struct curves *curves)
{
    double **columns[] = {&curves->epoch, &curves->loss, &curves->information, &curves->seconds};
    int64_t room = curves->room ? 2 * curves->room : 256;
    if (curves->count < curves->room)
        return true;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double *grown = realloc(*columns[i], (size_t)room * sizeof **columns[i]);
        if (!grown)
            return false;
        *columns[i] = grown;
    }
    curves->room = room;
    return true;
}

bool curves_add(struct curves *curves, double epoch, double loss, double information,
                double seconds)
{
    while (curves->count > 0 && curves->epoch[curves->count - 1] >= epoch)
        curves->count--;
    if (!grow(curves))
        return false;
    curves->epoch[curves->count] = epoch;
    curves->loss[curves->count] = loss;
    curves->information[curves->count] = information;
    curves->seconds[curves->count++] = seconds;
    return true;
}

static void start_again(struct curves *curves)
{
    if (curves->file)
        fclose(curves->file);
    curves->file = NULL;
    curves->offset = curves->count = 0;
}

void curves_clear(struct curves *curves)
{
    start_again(curves);
    free(curves->epoch);
    free(curves->loss);
    free(curves->information);
    free(curves->seconds);
    *curves = (struct curves){0};
}

/* Whether the open file is the one at the path, with all that was read of it. */
static bool is_same(const struct curves *curves, const struct stat *there)
{
    struct stat open;
    return fstat(fileno(curves->file), &open) == 0 && open.st_ino == there->st_ino &&
           open.st_dev == there->st_dev && there->st_size >= curves->offset;
}

graco_status curves_follow(struct curves *curves, const char *path)
{
    char line[LINE_MAX_BYTES];
    struct stat there;
    if (stat(path, &there) != 0) {
        int why = errno;
        start_again(curves);
        return why == ENOENT || why == ENOTDIR
                   ? GRACO_OK
                   : output_fail(GRACO_ERROR_IO, "cannot read %s: %s", path, strerror(why));
    }
    if (curves->file && !is_same(curves, &there))
        start_again(curves);
    if (!curves->file && !(curves->file = fopen(path, "re")))
        return output_fail(GRACO_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
    if (fseeko(curves->file, curves->offset, SEEK_SET) != 0)
        return output_fail(GRACO_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, curves->file)) {
        size_t length = strlen(line);
        double epoch = curves_number(line, "epoch");
        if (length == sizeof line - 1 && line[length - 1] != '\n')
            return output_fail(GRACO_ERROR_FORMAT, "%s has a line of more than %d bytes", path,
                               LINE_MAX_BYTES - 2);
        if (length == 0 || line[length - 1] != '\n')
            break; /* the rest of the line is still to come */
        curves->offset += (int64_t)length;
        if (isfinite(epoch) &&
            !curves_add(curves, epoch, curves_number(line, "loss"),
                        curves_number(line, "mutual_information"), curves_number(line, "seconds")))
            return output_no_memory("a curve");
    }
    return ferror(curves->file) ? output_fail(GRACO_ERROR_IO, "cannot read %s", path) : GRACO_OK;
}
