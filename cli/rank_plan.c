/* Plans of all ranks as two columns, the largest rank's number and the mean. A rank waits for its messages
 * one after another and then for their bytes: nothing is taken to overlap, so sending takes this long or
 * less. What a rank computes follows its nodes: a part of an epoch of one process. */
#include "rank_plan.h"

#include "graco_command.h"
#include "commands.h"
#include "output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum column {
    NODES,
    READ_ROWS,
    SENT_ROWS,
    HOST_BYTES,
    OWN_BYTES,
    SENT_BYTES,
    SENT_MESSAGES,
    SENDING,
    COLUMNS
};

static const char *const NAMES[COLUMNS] = {"nodes",         "boundary_rows", "sent_rows",
                                           "host_bytes",    "own_bytes",     "sent_bytes",
                                           "sent_messages", "send_seconds"};

struct rank_summary {
    double most[COLUMNS], mean[COLUMNS];
};

static void fill_columns(double column[COLUMNS], const struct rank_plan *plan,
                         const graco_rank_plan *rank)
{
    column[NODES] = (double)rank->nodes;
    column[READ_ROWS] = (double)rank->read_rows;
    column[SENT_ROWS] = (double)rank->sent_rows;
    bool loads = !rank->by_rows && rank->host_bytes < plan->load_bytes; /* and that takes more */
    column[HOST_BYTES] = (double)(loads ? plan->load_bytes : rank->host_bytes);
    column[OWN_BYTES] = (double)rank->own_bytes;
    column[SENT_BYTES] = (double)rank->sent_bytes;
    column[SENT_MESSAGES] = (double)rank->sent_messages;
    column[SENDING] = 1e-6 * plan->latency * (double)rank->sent_messages +
                      8e-9 / plan->link * (double)rank->sent_bytes;
}

static struct rank_summary sum_up(const struct rank_plan *plan, const graco_rank_plan *ranks)
{
    struct rank_summary s = {{0}, {0}};
    for (int64_t rank = 0; rank < plan->ranks; rank++) {
        double column[COLUMNS];
        fill_columns(column, plan, &ranks[rank]);
        for (int k = 0; k < COLUMNS; k++) {
            s.most[k] = fmax(s.most[k], column[k]);
            s.mean[k] += column[k] / (double)plan->ranks;
        }
    }
    return s;
}

static void write_columns(struct writer *json, const char *key, const double column[COLUMNS])
{
    writer_open(json, key, '{');
    for (int k = 0; k < COLUMNS; k++)
        writer_real(json, NAMES[k], column[k]);
    writer_close(json);
}

static int print_json(const struct rank_plan *plan, const graco_rank_plan *ranks,
                      const graco_config *config)
{
    struct rank_summary s = sum_up(plan, ranks);
    struct writer json = {0};
    writer_open(&json, NULL, '{');
    writer_string(&json, "dataset", plan->dataset);
    writer_string(&json, "method", graco_config_method(config));
    writer_string(&json, "preset", plan->preset);
    writer_integer(&json, "ranks", plan->ranks);
    writer_real(&json, "link_gbits", plan->link);
    writer_real(&json, "latency_us", plan->latency);
    writer_integer(&json, "available_bytes", plan->available);
    writer_bool(&json, "by_rows", ranks[0].by_rows);
    writer_bool(&json, "fits", s.most[HOST_BYTES] <= (double)plan->available);
    write_columns(&json, "largest", s.most);
    write_columns(&json, "mean", s.mean);
    writer_open(&json, "each", '[');
    for (int64_t rank = 0; rank < plan->ranks; rank++) {
        double column[COLUMNS];
        fill_columns(column, plan, &ranks[rank]);
        write_columns(&json, NULL, column);
    }
    writer_close(&json);
    writer_close(&json);
    return output_json(&json);
}

static void print_row(const char *label, const struct rank_summary *s, enum column k,
                      const char *what)
{
    bool bytes = k == HOST_BYTES || k == OWN_BYTES || k == SENT_BYTES, time = k == SENDING;
    char most[32], mean[32];
    if (bytes) {
        number_bytes(most, (int64_t)s->most[k]);
        number_bytes(mean, (int64_t)s->mean[k]);
    } else if (time) {
        snprintf(most, sizeof most, "%.4g s", s->most[k]);
        snprintf(mean, sizeof mean, "%.4g s", s->mean[k]);
    } else {
        snprintf(most, sizeof most, "%.0f", s->most[k]);
        snprintf(mean, sizeof mean, "%.1f", s->mean[k]);
    }
    output_row(label, "%-12s %-12s %s", most, mean, what);
}

static int print_table(const struct rank_plan *plan, const graco_rank_plan *ranks,
                       const graco_config *config)
{
    struct rank_summary s = sum_up(plan, ranks);
    char available[32];
    output_row("method", "%s, preset %s, over %" PRId64 " rank%s", graco_config_method(config),
               plan->preset, plan->ranks, plan->ranks == 1 ? "" : "s");
    output_row("links", "%g Gbit/s and %g us for each rank", plan->link, plan->latency);
    output_row("of a rank", "%-12s %s", "largest", "mean");
    print_row("nodes", &s, NODES, "");
    print_row("boundary", &s, READ_ROWS, "rows of others that it reads");
    print_row("host memory", &s, HOST_BYTES,
              ranks[0].by_rows ? "about, where each reads its rows alone"
                               : "at most, with the whole data set");
    print_row("beside it", &s, OWN_BYTES, "at most, beside the data set");
    print_row("sent", &s, SENT_BYTES, "in an epoch");
    print_row("messages", &s, SENT_MESSAGES, "in an epoch");
    print_row("sending", &s, SENDING, "in an epoch, if nothing overlaps");
    output_row("computing", "about a rank's share of the nodes, of the epoch without --ranks");
    if (s.most[HOST_BYTES] > (double)plan->available)
        printf("\nit does not fit: %s available\n", number_bytes(available, plan->available));
    return output_finish();
}

int rank_plan_print(const struct rank_plan *plan, const graco_dataset *data,
                    const graco_config *config)
{
    graco_rank_plan *ranks = calloc((size_t)plan->ranks, sizeof *ranks);
    if (!ranks)
        return output_failure(output_no_memory("the plans of all ranks"));
    graco_status status = graco_plan_ranks(ranks, plan->ranks, data, config);
    int code = status != GRACO_OK ? output_failure(status)
               : plan->json       ? print_json(plan, ranks, config)
                                  : print_table(plan, ranks, config);
    free(ranks);
    return code;
}
