/* The cells of the paper's tables and figures, and the trainings that they need: the lists of manifest.c,
 * expanded.
 *
 * A cell names a training by its key, "SET METHOD setting=value ...", settings sorted, and how
 * it is evaluated by a word behind that. Cells of several items may have the same key: it is
 * trained once. */
#ifndef PAPER_CELLS_H
#define PAPER_CELLS_H

#include <stdbool.h>
#include <stdint.h>

/* ---- The manifest ---------------------------------------------------------------------------- */

enum { CORA, CITESEER, PUBMED, DBLP, CITATION_SETS, REDDIT = CITATION_SETS, PPI, SETS };
enum { SET_COUNTS = 4, SET_SETTINGS = 9, SWEPT = 9, SWEPT_METHODS = 2 };

struct set {
    const char *name, *title;
    int64_t runs; /* seeds at most, unless --runs says otherwise */
    const char
        *counts[SET_COUNTS];  /* nodes, edges, features and classes, as the paper prints them */
    const char *edges_follow; /* how its edges follow from ours */
    const char *settings[SET_SETTINGS]; /* of GRACE, as printed */
};

/* How what was trained is scored. */
enum evaluation {
    PLAIN,    /* as the protocol `paper` does */
    FEATURES, /* with the features beside the embeddings */
    FOUR,     /* on validation's and test's graphs */
    EVALUATIONS,
};

/* A row of a table: a cell for each set. */
struct row {
    const char *label, *method, *overrides; /* "setting=value ..." */
    struct printed {
        double mean, deviation; /* NaN: not printed */
        bool there;             /* a cell is */
    } paper[SETS];
    enum evaluation evaluation;
    const char *value; /* that the cell shows, one of a sample's; NULL: its scores */
};

/* Settings that are swept along the axes of a figure. Without y each set has a panel and each method a line in it; with
 * y there is one grid, of one set and method. */
struct sweep {
    int set; /* CITATION_SETS: all of these */
    struct {
        const char *label, *method;
    } lines[SWEPT_METHODS];
    const char *x, *y; /* settings; y may be NULL */
    const char *x_label, *y_label;
    int ticks, first; /* how many; the first one, in tenths */
};

/* A table has rows, a figure a sweep; facts have neither. */
struct item {
    const char *name;
    int64_t runs; /* seeds of a full reproduction; a set's bound them */
    const char *title, *about;
    const struct row *rows; /* end with a NULL label */
    const struct sweep *sweep;
};

/* What --quick trains with. The first that fits a cell counts; "" fits all. */
struct quick {
    const char *item, *set, *method, *overrides;
};

/* That GRACE's cells score above those of another label, on each set that has both. */
struct claim {
    const char *text, *item, *other;
    int at, other_at; /* the place on the axis of a sweep, both axes of a grid, from 1; 0: all */
    bool equal;       /* instead: that they score the same */
};

/* What was tried to explain a difference from the paper. */
struct explanation {
    const char *key, *text;
};

extern const struct set manifest_sets[SETS];
/* These end with a NULL. */
extern const struct item manifest_items[];
extern const struct quick manifest_quick[];
extern const struct claim manifest_claims[];
extern const struct explanation manifest_explanations[];

/* ---- Cells ----------------------------------------------------------------------------------- */

enum { CELLS_KEY = 256, CELLS_MAX = 512 };

/* A cell has two trainings: [0] as the paper has it, [1] as --quick does. */
struct cell {
    const struct item *item;
    int set;
    int row, column;   /* of a table; of a grid: places on y and x; of lines: line and place on x */
    const char *label; /* of its row or line */
    const char *method;           /* "features" and "dataset": nothing is trained */
    char overrides[2][CELLS_KEY]; /* sorted */
    char key[2][CELLS_KEY];       /* with the word of the evaluation */
    enum evaluation evaluation;
    const char *value; /* NULL: the scores */
    struct printed paper;
    const char *quick;    /* what --quick overrides, "" if nothing */
    const char *left_out; /* why --quick leaves it out; NULL: it does not */
};

/* All cells, in the order of the items, into out (CELLS_MAX). Returns how many there are. */
int cells_list(struct cell *out);

/* The value of a place on an axis of a sweep. */
double cells_tick(const struct sweep *sweep, int place);

/* ---- Trainings ------------------------------------------------------------------------------- */

/* A training and the ways in which it is evaluated. */
struct cells_training {
    int set;
    const char *method;
    const char *overrides; /* borrowed from a cell */
    unsigned evaluations;  /* bit e: enum evaluation e is wanted */
    int64_t runs;          /* seeds 0 .. runs - 1 */
    bool drawn; /* GRACE as it is: it has numbers for the theorems, and its first seed figures */
    double seconds;     /* that the samples took which were made in this call */
    int64_t made, left; /* how many these are; still to make */
};

/* What the command line wants of the cells. */
struct cells_wanted {
    bool quick;
    int64_t runs;               /* seeds of every training; 0: as the manifest says */
    const char *const *items;   /* names, ending with NULL; empty: all */
    const char *sets, *methods; /* "cora,citeseer"; NULL: all */
};

bool cells_want(const struct cells_wanted *wanted, const struct cell *cell);

/* The trainings of the wanted cells, by set, into out (CELLS_MAX). Returns how many there are. */
int cells_trainings(struct cells_training *out, const struct cell *cells, int count,
                    const struct cells_wanted *wanted);

/* Whether nothing is drawn at random: one seed will do. */
bool cells_fixed(const char *method);

/* Writes the key of a training's evaluation. */
void cells_key(char key[CELLS_KEY], const struct cells_training *training, enum evaluation how);

/* Whether a list "a,b" has the word; a NULL list has every word. */
bool cells_listed(const char *list, const char *word);

#endif
