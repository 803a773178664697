/* The file of rates: a line that says what they are for, then a rate a line, its name and a number. A
 * file that is not exactly that is measured anew; one that cannot be written is no failure. */
#include "rates.h"
#include "graco_command.h"
#include "machine.h"
#include "output.h"
#include "runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    KEY_TEXT = MACHINE_TEXT + 256,
    OLDEST_DAYS = 30,
    WAY = 3, /* of measuring: one more whenever src/train/calibrate.c or its clock changes */
};

/* What the rates depend on: program, way of measuring, machine, device, threads, precision. */
static graco_status name_rates(char key[KEY_TEXT], char name[64], const graco_config *config)
{
    char machine[MACHINE_TEXT], precision[32];
    const char *device;
    int64_t threads;
    graco_status status = graco_config_machine(&device, &threads, config);
    if (status == GRACO_OK)
        status = graco_config_get(config, "precision", precision, sizeof precision);
    if (status != GRACO_OK)
        return status;
    if (strcmp(device, "cpu") == 0 && strcmp(precision, "bf16") != 0)
        snprintf(precision, sizeof precision, "fp32"); /* which it is there */
    snprintf(name, 64, "rates-%s-%" PRId64 "-%s.txt", device, threads, precision);
    snprintf(key, KEY_TEXT, "graco %s, way %d, %s, device %s, threads %" PRId64 ", %s",
             graco_version(), WAY, machine_name(machine), device, threads, precision);
    return GRACO_OK;
}

/* The folder for the file; false if the environment names none. */
static bool find_folder(char folder[RUNS_PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/')
        return snprintf(folder, RUNS_PATH_MAX, "%s/graco", cache) < RUNS_PATH_MAX - 80;
    return home && *home == '/' &&
           snprintf(folder, RUNS_PATH_MAX, "%s/.cache/graco", home) < RUNS_PATH_MAX - 80;
}

/* Whether there is a file to read, and nothing that would never end or begin, and of the last days. */
static bool is_fresh(const char *path)
{
    struct stat found;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode))
        return false;
    double age = difftime(time(NULL), found.st_mtime);
    return age >= -60 && age < OLDEST_DAYS * 86400.0;
}

/* One line of the file without its end; false if there is none, or none that is whole. */
static bool read_line(char *line, int size, FILE *file)
{
    if (!fgets(line, size, file))
        return false;
    size_t length = strcspn(line, "\n");
    bool whole = line[length] == '\n';
    line[length] = '\0';
    return whole;
}

static bool read_rates(graco_rates *rates, const char *path, const char *key)
{
    char line[KEY_TEXT + 2];
    graco_rates found = {{0}};
    FILE *file = is_fresh(path) ? fopen(path, "r") : NULL;
    bool good = file && read_line(line, sizeof line, file) && !strcmp(line, key);

    for (int i = 0; good && i < GRACO_RATES; i++) {
        size_t length = strlen(graco_rate_name(i));
        good = read_line(line, sizeof line, file) &&
               strncmp(line, graco_rate_name(i), length) == 0 && line[length] == ' ';
        char *end = line;
        if (good)
            found.seconds[i] = strtod(line + length + 1, &end);
        good = good && end != line + length + 1 && *end == '\0' && found.seconds[i] >= 0 &&
               found.seconds[i] < 1;
    }
    good = good && fgetc(file) == EOF;
    if (file)
        fclose(file);
    if (good)
        *rates = found;
    return good;
}

/* Written beside and moved, so that nobody reads half of it. */
static void write_rates(const graco_rates *rates, const char *path, const char *key)
{
    char made[RUNS_PATH_MAX + 160];
    snprintf(made, sizeof made, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(made, "w");
    if (!file)
        return;
    bool good = fprintf(file, "%s\n", key) > 0;
    for (int i = 0; i < GRACO_RATES; i++)
        good = fprintf(file, "%s %.9g\n", graco_rate_name(i), rates->seconds[i]) > 0 && good;
    good = fclose(file) == 0 && good;
    if (!good || rename(made, path) != 0)
        unlink(made);
}

graco_status rates_get(graco_rates *rates, const graco_config *config, bool quiet)
{
    char folder[RUNS_PATH_MAX], path[RUNS_PATH_MAX + 80], key[KEY_TEXT], name[64];
    bool kept = find_folder(folder);
    graco_status status = name_rates(key, name, config);

    if (status != GRACO_OK)
        return status;
    if (kept) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (read_rates(rates, path, key))
            return GRACO_OK;
    }
    if (!quiet)
        output_note("measuring this machine, which takes about two seconds");
    status = graco_rates_measure(rates, config);
    if (status == GRACO_OK && kept && runs_make(folder, NULL))
        write_rates(rates, path, key);
    return status;
}
