/* The report of runs, while it is made: what their folders say, what was measured of their
 * embeddings, and why a part is missing. graco_report reads, measures and writes, in this
 * order.
 *
 * A run is one or more trainings: those of several seeds, and of a supervised method one for each
 * split. What cannot be read of a run becomes a note on the page; the system's own refusals end the
 * whole. */
#ifndef REPORT_RUN_REPORT_H
#define REPORT_RUN_REPORT_H

#include "data/dataset.h"
#include "report/page.h"
#include "report/plot_axes.h"
#include "run/run.h"

/* One training; what it points to belongs to the run, but for the preset. */
struct training {
    const char *folder;
    const struct json *config;    /* config.json; NULL: missing or damaged */
    const graco_config *settings; /* that it has; NULL: its method is not known */
    graco_config *preset;         /* the settings that these are held against; NULL: likewise */
    bool has_preset;              /* the method has one of the data set's name */
    const struct run_curve *curve;
    double seconds_median; /* of an epoch; NaN: not known */
    bool embedded;         /* it has embeddings of its last checkpoint */
};

/* What was measured. NaN and zeros where there is nothing. */
struct run_shape {
    int64_t cols, singular_count; /* columns of the embeddings; min(rows, cols) */
    double *singular;
    double effective_rank, alignment, uniformity;
    int64_t uniform_nodes;
    graco_cluster_result clusters; /* clusters 0: none were made */
};

struct reported {
    graco_run *run; /* borrowed */
    char *name;     /* as the page calls it */
    int64_t count, splits;
    struct training *trainings; /* (count) those of a seed together, `splits` of them */
    const struct graco_dataset
        *data;               /* borrowed from the report; NULL: not there, or another one */
    graco_protocol protocol; /* of the scores */
    uint64_t split_seed;     /* likewise: which splits were drawn, */
    int64_t first_split;     /* and which of them is the first */
    int64_t result_count;
    const graco_eval_result *results;    /* (result_count) of its seeds */
    const graco_run_baseline *baselines; /* (baseline_count) on the same splits */
    int baseline_count;
    graco_eval_result *own;  /* (result_count) where only some seeds have scores; else NULL */
    int64_t *seeds;          /* (result_count) */
    graco_graph_facts facts; /* of the data */
    /* What predicts hidden columns and hidden edges (eval/hidden.h), by enum run_source; NaN: nothing is known. */
    double hidden_columns[3], hidden_edges[3];
    struct run_shape shape; /* of the first training that has embeddings */
    graco_map *map;         /* of the same; NULL: none */
};

/* A node's own features, its neighbours' without its own, the embedding of the first training. */
enum run_source { SOURCE_OWN, SOURCE_NEIGHBOURS, SOURCE_EMBEDDING, SOURCES };

struct run_note {
    const struct reported *run;
    char *words;
};

struct run_report {
    const graco_report_options *options;
    int64_t count;
    struct reported *runs; /* (count) */
    int64_t data_count;
    struct graco_dataset **data; /* (count) loaded, each once */
    int64_t note_count;
    struct run_note *notes; /* what is missing, and why */
    struct web_page page;
};

/* Adds a note: what is missing, and why. */
graco_status run_note(struct run_report *report, const struct reported *run, const char *format,
                      ...) EXT_PRINTF(3, 4);

/* Bears a failure that comes from a run's files: its message becomes a note about `part`. Others
 * stay. */
graco_status run_bear(struct run_report *report, const struct reported *run, graco_status status,
                      const char *part);

/* ---- Reading (run_read.c) -------------------------------------------------------------------- */

/* Asks every training for its settings and its curve. GRACO_ERROR_IO for a folder that holds
 * no run. */
graco_status run_read(struct run_report *report, struct reported *run);
void run_read_clear(struct reported *run);

/* A field of config.json as text, cut to fit; "" if it is not there. */
const char *run_field(char text[PLOT_NAME], const struct training *training, const char *key);
int64_t run_integer(const struct training *training, const char *key, int64_t otherwise);

/* A setting as it was trained with and as the preset has it, both as --set would write them; false
 * if the training does not have it. */
struct run_setting {
    char value[PLOT_NAME], preset[PLOT_NAME];
    bool differs;
};
bool run_setting(struct run_setting *out, const struct training *training, const char *key);

/* ---- Measuring (run_measure.c) --------------------------------------------------------------- */

/* Loads the data set, scores the embeddings, measures them and lays them out. */
graco_status run_measure(struct run_report *report, struct reported *run);
void run_measure_clear(struct reported *run);

/* ---- Writing --------------------------------------------------------------------------------- */

/* run_page.c: the sections in their order. */
graco_status run_page_write(struct run_report *report);

/* run_page_training.c: facts and settings; curves. */
graco_status run_page_settings(struct run_report *report);
graco_status run_page_curves(struct run_report *report);

/* run_page_scores.c: scores with the confusion of classes; how runs compare. */
graco_status run_page_scores(struct run_report *report);
graco_status run_page_comparison(struct run_report *report);

/* run_page_shape.c: what the graphs are like; spectrum, numbers of the embeddings; maps. */
graco_status run_page_graphs(struct run_report *report);
graco_status run_page_shape(struct run_report *report);
graco_status run_page_maps(struct run_report *report);

/* The mean of the scores of all seeds and splits, and their deviation; false: there are none. */
bool run_score(double *mean, double *deviation, const struct reported *run);

#endif
