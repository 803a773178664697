/* From columns of a table to features: what a training learned of each column, by its name, and its use on the
 * same table or on another one. docs/formats.md ("Columns") has the rule.
 *
 *     numbers, dates   as they are; standardised, (x - mean) / deviation; or by their rank (quantile)
 *     truth values     0 and 1
 *     words            a column for each word, 1 where it stands (one-hot), of the ONE_HOT most frequent ones;
 *                      the others are hashed to BUCKETS columns
 *     gaps             the median, and a column more that has 1 where there is a gap
 *
 * Constant columns and ids are left out. A table of numbers without gaps whose spreads are alike, one that holds only 0 and
 * 1, and a wide one of counts stay as they are. */
#ifndef DATA_PREPARATION_H
#define DATA_PREPARATION_H

#include "data/dataset.h"
#include "io/tables/columns.h"

enum {
    PREPARATION_ONE_HOT = 32, /* so many words of a column have a feature of their own */
    PREPARATION_BUCKETS = 16, /* features that the others share */
    PREPARATION_KNOTS = 101,  /* quantiles that a rank lies between */
    PREPARATION_SPREADS = 100 /* spreads that differ by more are not alike */
};

enum preparation_how {
    PREPARATION_LOOK, /* only for preparation_learn: decide */
    PREPARATION_PLAIN,
    PREPARATION_STANDARD,
    PREPARATION_QUANTILE,
    PREPARATION_WORDS,
    PREPARATION_CONSTANT, /* left out */
    PREPARATION_IDS,      /* left out */
};

/* One column of the table that was learned from. */
struct recipe {
    char *name;
    enum column_kind kind;
    enum preparation_how how;
    bool gaps;           /* it has a feature for gaps */
    double median;       /* what a gap becomes */
    double mean, scale;  /* STANDARD */
    float *knots;        /* (PREPARATION_KNOTS) QUANTILE, ascending */
    struct names *words; /* (PREPARATION_ONE_HOT at most) WORDS, in the order of their features */
    bool hashed;         /* there are more words */
};

struct preparation {
    int64_t count;
    struct recipe *recipes; /* (count) */
    int64_t cols;           /* features that come out */
    bool plain;             /* every column as it is */
    bool unnamed;           /* the table had no names of columns */
};

/* Learns from the rows where `seen` is 1, NULL: all. `how` is PREPARATION_LOOK, or STANDARD or QUANTILE for all
 * numbers, whatever they are like. The same for rows in any order. O(cells), and a sort of at most 65,536 numbers of each
 * column. */
graco_status preparation_learn(struct preparation **out, const struct columns *columns,
                               const uint8_t *seen, enum preparation_how how);
void preparation_free(struct preparation *preparation);

/* Marks the nodes of split 0, which an inductive training sees. The caller frees *seen. */
graco_status preparation_seen(uint8_t **seen, const uint8_t *split, int64_t nodes);

/* Fills X (rows, cols), dense, with the features of a table that has the columns of the preparation, by name and
 * in any order, and by their order where one of the two tables has no names; GRACO_ERROR_ARGUMENT if it lacks one, or has words where there were numbers. Unknown words have 0 in
 * all features of words, or fall into a bucket. O(rows cols). */
graco_status preparation_apply(struct features *X, const struct preparation *preparation,
                               const struct columns *columns);

/* Features of a column without that of its gaps; of all columns, filled into `cols` and `plain`. */
int64_t preparation_values(const struct recipe *recipe);
void preparation_count(struct preparation *preparation);

/* Fills `text` with a warning if columns of dense features that nothing prepares have spreads that are not alike, by
 * their first PREPARATION_LOOKED rows; "" if they are. */
enum { PREPARATION_LOOKED = 4096 };
void preparation_warn(char *text, size_t size, const struct features *X);

/* What each column became, for a note: at most `size` bytes. */
void preparation_say(char *text, size_t size, const struct preparation *preparation);

/* The name of a feature, such as "country=CH"; "" past the end. */
void preparation_feature(char *text, size_t size, const struct preparation *preparation,
                         int64_t feature);

/* As JSON and back; the caller frees the text. What another program may have written is checked. */
graco_status preparation_text(char **out, const struct preparation *preparation);
graco_status preparation_read(struct preparation **out, const char *text, int64_t length);

#endif
