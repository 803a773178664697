/* The cells of the paper's tables and figures, and the trainings that they need: manifest.def as
 * lists.
 *
 * A cell names a training by its key, "SET METHOD setting=value ...", settings sorted, and how
 * it is evaluated by a word behind that. Cells of several items may have the same key: it is
 * trained once. */
#ifndef PAPER_CELLS_H
#define PAPER_CELLS_H

#include <stdbool.h>
#include <stdint.h>

enum { CELLS_SETS = 6, CELLS_KEY = 256, CELLS_MAX = 512 };

enum item_kind { KIND_FACTS, KIND_TABLE, KIND_GRID, KIND_LINES };

/* How what was trained is scored. */
enum evaluation {
    EVALUATION_PLAIN,    /* as the protocol `paper` does */
    EVALUATION_FEATURES, /* with the features beside the embeddings */
    EVALUATION_FOUR,     /* on validation's and test's graphs */
    EVALUATIONS,
};

struct cells_set {
    const char *name, *title;
    int64_t runs; /* seeds at most, unless --runs says otherwise */
    const char *nodes, *edges, *features, *classes, *edges_follow; /* as the paper prints them */
};

struct cells_item {
    const char *name;
    enum item_kind kind;
    int64_t runs;
    const char *title, *about;
};

extern const struct cells_set cells_sets[CELLS_SETS];
extern const struct cells_item cells_items[]; /* ends with a NULL name */

/* A cell has two trainings: [0] as the paper has it, [1] as --quick does. */
struct cell {
    int item, set;
    int row, column;   /* of a table; of a grid: places on y and x; of lines: line and place on x */
    const char *label; /* of its row or line */
    const char *method;           /* "features" and "dataset": nothing is trained */
    char overrides[2][CELLS_KEY]; /* "setting=value ...", sorted */
    char key[2][CELLS_KEY];       /* with the word of the evaluation */
    enum evaluation evaluation;
    const char *value;       /* "scores", or one of the sample's values */
    double paper, deviation; /* as printed; NaN: not */
    const char *quick;       /* what --quick overrides, "" if nothing */
    const char *left_out;    /* why --quick leaves it out; NULL: it does not */
};

/* Probabilities of the grid, shares of the lines; --quick takes every second of both. */
extern const double cells_probabilities[9], cells_contaminations[5];

/* All cells, in the order of the items; the caller frees them. NULL if memory is out. */
struct cell *cells_list(int *count);

/* A training and the ways in which it is evaluated. */
struct cells_training {
    int set;
    const char *method;
    const char *overrides; /* borrowed from a cell */
    unsigned evaluations;  /* bit e: enum evaluation e is wanted */
    int64_t runs;          /* seeds 0 .. runs - 1 */
    bool drawn; /* GRACE as it is: it has numbers for the theorems, and its first seed figures */
};

/* What the command line wants of the cells. */
struct cells_wanted {
    bool quick;
    int64_t runs;               /* seeds of every training; 0: as the manifest says */
    const char *const *items;   /* names, ending with NULL; empty: all */
    const char *sets, *methods; /* "cora,citeseer"; NULL: all */
};

bool cells_want(const struct cells_wanted *wanted, const struct cell *cell);

/* The trainings of the wanted cells, by set, into `out` (count). Returns how many there are. */
int cells_trainings(struct cells_training *out, const struct cell *cells, int count,
                    const struct cells_wanted *wanted);

/* Whether nothing is drawn at random: one seed will do. */
bool cells_fixed(const char *method);

/* Writes the key of a training's evaluation. */
void cells_key(char key[CELLS_KEY], const struct cells_training *training, enum evaluation how);

/* Whether a list "a,b" has the word; a NULL list has every word. */
bool cells_listed(const char *list, const char *word);

#endif
