/* Tasks of `graco eval` besides classes: a row for each embedding, be it a file or one run of a folder. Links
 * are those that `graco split-links` held out; a run that was trained on another graph is refused, because it may
 * have seen them. */
#include "tasks.h"

#include "commands.h"
#include "graco_command.h"
#include "loading.h"
#include "output.h"
#include "runs.h"
#include "scoring.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const words[] = {"classify", "cluster", "link"};
enum { WORDS = sizeof words / sizeof *words };

const char *task_word(int index)
{
    return index >= 0 && index < WORDS ? words[index] : NULL;
}

struct task {
    const struct task_request *request;
    graco_dataset *data;
    graco_links links;
    struct writer json;
    char unsaved[1024]; /* why the first scores were not kept; "": they were */
};

/* Scores of one embedding: of links, or else of clusters. */
struct task_scores {
    graco_link_result links;
    graco_cluster_result clusters;
};

static void print_links(const char *name, const graco_link_result *result)
{
    printf("%s: %" PRId64 " test links against %" PRId64 " other pairs%s\n", name, result->links,
           result->others, result->converged ? "" : ", NOT CONVERGED");
    for (int i = 0; i < GRACO_LINK_SCORES; i++)
        printf("  %-10s AUC %.4f   AP %.4f\n", result->score[i].name, result->score[i].auc,
               result->score[i].average_precision);
}

static void print_clusters(const char *name, const graco_cluster_result *result)
{
    printf("%s: %" PRId64 " clusters of %" PRId64 " nodes\n", name, result->clusters,
           result->nodes);
    if (result->labelled > 0)
        printf("  against the labels of %" PRId64 " nodes: NMI %.4f   ARI %.4f   accuracy %.4f\n",
               result->labelled, result->nmi, result->ari, result->accuracy);
    printf("  modularity %.4f   silhouette %.4f\n", result->modularity, result->silhouette);
}

/* ---- Embeddings ------------------------------------------------------------------------------- */

static graco_status score(struct task_scores *scores, const struct task *task, graco_run *run,
                          int64_t index)
{
    graco_cluster_options options = graco_cluster_defaults();
    options.clusters = task->request->clusters;
    options.seed = task->request->seed;
    options.threads = task->request->threads;
    return task->links.pair
               ? graco_run_links(&scores->links, run, index, task->data, &task->links,
                                 options.threads)
               : graco_run_clusters(&scores->clusters, run, index, task->data, &options);
}

static void show(struct task *task, const char *name, const struct task_scores *scores)
{
    if (!task->request->json && task->links.pair) {
        print_links(name, &scores->links);
    } else if (!task->request->json) {
        print_clusters(name, &scores->clusters);
    } else {
        writer_open(&task->json, NULL, '{');
        writer_string(&task->json, "name", name);
        if (task->links.pair)
            graco_links_write(&task->json, &scores->links);
        else
            graco_clusters_write(&task->json, &scores->clusters);
        writer_close(&task->json);
    }
}

/* Scores training `index` of a run; a .npy file is one. That its scores cannot be kept costs the others nothing: it
 * is said at the end. */
static graco_status score_training(struct task *task, graco_run *run, int64_t index)
{
    const graco_matrix *Z = NULL;
    struct task_scores scores = {0};
    struct stat found;
    char file[64];
    const char *name = graco_run_path(run, index);
    graco_status status = loading_embeddings(&Z, NULL, run, index, task->data);
    if (status == GRACO_ERROR_ARGUMENT && task->links.pair)
        return status_fail(status,
                           "%.800s; it may have seen the links that are tested: train on %s",
                           output_failed(), graco_dataset_describe(task->data).name);
    graco_run_close(run, index);
    PASS(status);
    PASS(score(&scores, task, run, index));
    show(task, name, &scores);
    graco_cluster_result_clear(&scores.clusters);
    snprintf(file, sizeof file, "eval-%s.json", task->request->task);
    if (stat(name, &found) != 0 || !S_ISDIR(found.st_mode) || !scoring_may_keep(name, file))
        return GRACO_OK;
    if (graco_run_keep_task(run, index) != GRACO_OK && !*task->unsaved)
        snprintf(task->unsaved, sizeof task->unsaved, "%s", output_failed());
    return GRACO_OK;
}

static graco_status score_run(struct task *task, graco_run *run)
{
    const graco_run_info info = graco_run_describe(run);
    for (int64_t i = 0; i < info.seeds * info.splits; i++)
        PASS(score_training(task, run, i));
    return GRACO_OK;
}

int task_run(const struct command *command, const struct task_request *request)
{
    struct task task = {.request = request};
    int code = EXIT_FINE, last = command->count - 1;
    const char *source = command->arguments[last];
    graco_run *runs[COMMAND_ARGUMENTS_MAX] = {NULL};
    graco_status status = runs_open(runs, command->arguments, last);
    if (status == GRACO_OK)
        status = loading_dataset(&task.data, source, request->load, runs_first(runs, last),
                                 request->json);
    if (status == GRACO_OK && strcmp(request->task, "link") == 0)
        status = graco_links_load(&task.links, source);
    writer_open(&task.json, NULL, '{');
    writer_string(&task.json, "task", request->task);
    writer_open(&task.json, "embeddings", '[');
    for (int i = 0; status == GRACO_OK && i < last; i++)
        status = score_run(&task, runs[i]);
    writer_close(&task.json);
    writer_close(&task.json);
    if (status != GRACO_OK)
        code = output_failure(status);
    else
        code = request->json ? output_json(&task.json) : output_finish();
    if (code == EXIT_FINE && *task.unsaved) {
        output_error("%s", task.unsaved);
        code = EXIT_FAILED;
    }
    writer_clear(&task.json);
    graco_links_clear(&task.links);
    for (int i = 0; i < last; i++)
        graco_run_free(runs[i]);
    graco_dataset_free(task.data);
    return code;
}
