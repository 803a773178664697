/* results.json, which `graco reproduce` keeps: every sample that was trained or evaluated, and
 * what the paper's tables and figures are made of. docs/formats.md describes it.
 *
 * A sample belongs to a key, which says what was trained and how it was scored; the samples of a
 * key differ in their seed alone. Items are tables and figures: their cells name keys. The file
 * may come from anywhere, so every length and reference is checked, and memory is bounded by its
 * bytes. */
#ifndef PAPER_RESULTS_H
#define PAPER_RESULTS_H

#include "report/statistics.h"

#include "io/json/json.h"

enum {
    RESULTS_ITEMS = 64, /* of a file; and so on */
    RESULTS_ROWS = 256, /* of a table or of facts */
    RESULTS_COLUMNS = 32,
    RESULTS_TICKS = 64, /* of an axis */
    RESULTS_PANELS = 16,
    RESULTS_LINES = 8, /* of a panel: as many as there are colours */
    RESULTS_CLAIMS = 64,
    RESULTS_CLAIM_KEYS = 32,
    RESULTS_EXPLANATIONS = 512,
    RESULTS_RUNS = 10000,   /* samples of a key */
    RESULTS_SPLITS = 10000, /* scores of a sample */
    RESULTS_VALUES = 64,    /* named numbers of a sample */
    RESULTS_POINTS = 4096,  /* of a sample's curve or map */
    RESULTS_CLASSES = 128,
};

/* Where a cell's numbers come from, as the file and its samples say. */
enum results_state {
    RESULTS_RUN,       /* "run": as the paper says, here */
    RESULTS_QUICK,     /* "quick": fewer seeds or epochs, or a cheaper objective */
    RESULTS_LOOKALIKE, /* "look-alike": on a generated graph */
    RESULTS_QUOTED,    /* "quoted": the paper's number alone */
    RESULTS_MISSING,   /* "missing": nothing; the note says why */
};

/* "run", "quick", ... as the file has them. */
const char *results_state_name(enum results_state state);

/* Numbers that may be missing; such a one is NaN. */
struct results_numbers {
    int64_t count;
    double *at;
};

struct results_sample {
    const char *key, *set, *method, *metric;
    bool quick, look_alike;
    const struct json *values;                       /* an object or NULL */
    struct results_numbers epoch, loss, information; /* of the curve: as many of each; 0: none */
    struct results_numbers x, y;                     /* two leading components: as many of each */
    int64_t classes;                                 /* of the points: at most RESULTS_CLASSES */
    const char **class_names;                        /* (classes) */
    int32_t *class_of;                               /* (points) */
};

/* What one of the samples' values comes to. */
struct results_value {
    const char *name;
    struct summary summary;
};

/* What the samples of a key have in common. */
struct results_key {
    const char *set;          /* of the last of them */
    enum results_state state; /* RESULTS_RUN, or less, where one of them ran quickly or elsewhere */
    struct summary scores;
    int64_t value_count;
    struct results_value *values; /* (value_count) in the order of their names */
};

struct results_cell {
    int64_t row, column; /* of a grid: y, x; of a line: 0, x */
    const char *key;     /* "" : none */
    const char *value;   /* "scores", or the name of one of the samples' values */
    double paper, paper_deviation;
    enum results_state state;
    const char *note;
    struct summary ours; /* of scores or of a named value; without samples seeds is 0 */
};

struct results_cells {
    int64_t count;
    struct results_cell *at;
};

struct results_axis {
    const char *label;
    struct results_numbers ticks;
};

struct results_words {
    int64_t count;
    const char **at;
};

struct results_line {
    const char *label;
    struct results_cells cells;
};

struct results_panel {
    const char *title;
    struct results_axis x;
    int64_t line_count;
    struct results_line *lines;
};

enum results_kind { RESULTS_TABLE, RESULTS_GRID, RESULTS_LINES_KIND, RESULTS_FACTS };

struct results_item {
    const char *name; /* of lower-case letters, digits and dashes: files are named after it */
    const char *title, *about;
    enum results_kind kind;
    struct results_words rows, columns; /* of a table; of facts, the columns */
    struct results_words facts;         /* (rows of facts, columns) */
    struct results_cells cells;         /* of a table or a grid */
    struct results_axis x, y;           /* of a grid */
    int64_t panel_count;
    struct results_panel *panels; /* of lines */
};

struct results_claim {
    const char *text;
    bool equal;                         /* the two should not differ */
    struct results_words better, worse; /* keys: as many of both, or one against many */
};

struct results_explanation {
    const char *key, *text;
};

struct results_block;

/* Owns everything in it. Strings are those of the file. */
struct results {
    struct json *tree;
    struct results_block *blocks;
    const char *version, *device, *machine; /* of graco; "" where the file does not say */
    bool quick;
    int64_t runs, splits; /* that were asked for; 0: not said */
    int64_t sample_count;
    struct results_sample *samples; /* (sample_count) by key, then seed */
    struct seed_scores *scores;     /* (sample_count) of the same */
    struct results_key *keys;       /* (sample_count) of a key, at its first sample */
    int64_t item_count, claim_count, explanation_count;
    struct results_item *items;
    struct results_claim *claims;
    struct results_explanation *explanations;
};

/* Reads the text of a results.json. What is wrong is GRACO_ERROR_FORMAT with one line that says
 * where. O(length log length). The caller owns *out. */
graco_status results_parse(struct results **out, const void *bytes, int64_t length);

/* Reads a file; messages name the path. */
graco_status results_read(struct results **out, const char *path);

void results_free(struct results *results);

/* The samples of a key: *first .. *first + *count - 1; none: *count is 0. O(log samples). */
void results_find(int64_t *first, int64_t *count, const struct results *results, const char *key);

/* What the samples of a key have in common; NULL: there are none. O(log samples). */
const struct results_key *results_key(const struct results *results, const char *key);

/* What was tried to explain a key's difference; NULL: nothing is said. */
const char *results_explanation(const struct results *results, const char *key);

#endif
