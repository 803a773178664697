/* The space that a search looks through: for each setting, its axis, the values it may have. */
#ifndef TUNE_SPACE_H
#define TUNE_SPACE_H

#include "config/config.h"
#include "data/dataset.h"

enum { SPACE_AXES = 24, SPACE_WORDS = 16, SPACE_RUNGS = 6, SPACE_TEXT = 256 };

/* A few words, or all numbers from low to high. */
struct axis {
    char key[CONFIG_TEXT];
    char text[SPACE_TEXT]; /* as it was given: "relu,elu" or "0.1..0.8" */
    int words;             /* 0: a range */
    char word[SPACE_WORDS][CONFIG_TEXT];
    double low, high;
    bool whole; /* whole numbers alone, as the setting has */
    int digits; /* that other numbers are rounded to: two, or as many as tell places of the range apart */
    bool logarithmic; /* each factor is as likely: where high is at least ten times low */
};

/* Epochs are no axis: trainings of one trial are measured after each of `epochs`, ascending, and go on
 * from there. */
struct space {
    struct graco_config base; /* what no axis says */
    int count;
    struct axis axes[SPACE_AXES];
    int rungs;
    int64_t epochs[SPACE_RUNGS];
};

/* A place in the space: 0 .. 1 along each axis. */
struct point {
    double at[SPACE_AXES];
};

/* The space for a method, a data set and what `search` (ending with NULL, or NULL) says instead:
 * "KEY=a,b,c", "KEY=low..high", or "KEY=value", which pins it. Of the data set the size and what kind of
 * numbers its features are decide; its name does not. GRACO_ERROR_ARGUMENT for a text that is neither,
 * or a value that the setting, the method or the data set does not take. */
graco_status space_init(struct space *out, const char *method, const struct graco_dataset *data,
                        const char *const *search);

/* A point drawn for trial number `trial`; with `from`, one near that. `attempt` gives another. */
void space_draw(struct point *out, const struct space *space, uint64_t seed, int64_t trial,
                int attempt);
void space_move(struct point *out, const struct space *space, const struct point *from,
                uint64_t seed, int64_t trial, int attempt);

/* The setting of an axis at a point, as text; all of them in a configuration. */
void space_value(char text[CONFIG_TEXT], const struct axis *axis, double at);
graco_status space_configure(struct graco_config *config, const struct space *space,
                             const struct point *point);

/* The largest `hidden` of the space: what decides how much memory a training takes. */
double space_widest(const struct space *space);

/* Whether two points stand for the same settings. */
bool space_same(const struct space *space, const struct point *a, const struct point *b);

/* How many settings there are to tell apart, `most` at most: words and whole numbers are counted, other ranges
 * have as many as one wants. */
int64_t space_size(const struct space *space, int64_t most);

/* The next point of a space whose settings are counted, each of which comes once before the first comes again. */
void space_next(struct point *point, const struct space *space);

#endif
