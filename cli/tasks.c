/* Tasks of `graco eval` besides classes: a row for each embedding, be it a file or one run of a folder. Links
 * are those that `graco split-links` held out; a run that was trained on another graph is refused, because it may
 * have seen them. */
#include "tasks.h"

#include "commands.h"
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

#define LINKS(member, kind) FIELD(graco_link_result, member, kind)
static const struct field LINKS_COUNTED[] = {LINKS(links, INT), LINKS(others, INT), {0}};
static const struct field LINKS_PROBE[] = {
    LINKS(C, REAL), LINKS(converged, BOOL), LINKS(seconds, REAL), {0}};
static void write_links(struct writer *json, const graco_link_result *result)
{
    writer_fields(json, LINKS_COUNTED, result);
    for (int i = 0; i < GRACO_LINK_SCORES; i++) {
        writer_open(json, result->score[i].name, '{');
        writer_real(json, "auc", result->score[i].auc);
        writer_real(json, "average_precision", result->score[i].average_precision);
        writer_close(json);
    }
    writer_fields(json, LINKS_PROBE, result);
}

#define CLUSTER(member, kind) FIELD(graco_cluster_result, member, kind)
static const struct field CLUSTERS[] = {CLUSTER(nodes, INT),       CLUSTER(clusters, INT),
                                        CLUSTER(labelled, INT),    CLUSTER(nmi, REAL),
                                        CLUSTER(ari, REAL),        CLUSTER(accuracy, REAL),
                                        CLUSTER(modularity, REAL), CLUSTER(silhouette, REAL),
                                        CLUSTER(seconds, REAL),    {0}};

static void print_clusters(const char *name, const graco_cluster_result *result)
{
    printf("%s: %" PRId64 " clusters of %" PRId64 " nodes\n", name, result->clusters,
           result->nodes);
    if (result->labelled > 0)
        printf("  against the labels of %" PRId64 " nodes: NMI %.4f   ARI %.4f   accuracy %.4f\n",
               result->labelled, result->nmi, result->ari, result->accuracy);
    printf("  modularity %.4f   silhouette %.4f\n", result->modularity, result->silhouette);
}

static graco_status score(struct task_scores *scores, const struct task *task,
                          const graco_matrix *Z)
{
    const graco_cluster_options options = {.clusters = task->request->clusters,
                                           .starts = graco_cluster_defaults().starts,
                                           .seed = task->request->seed,
                                           .threads = task->request->threads};
    return task->links.pair ? graco_evaluate_links(&scores->links, Z, task->data, &task->links,
                                                   task->request->threads)
                            : graco_evaluate_clusters(&scores->clusters, Z, task->data, &options);
}

/* ---- Embeddings ------------------------------------------------------------------------------- */

static void write_fields(struct writer *json, const struct task *task,
                         const struct task_scores *scores)
{
    if (task->links.pair)
        write_links(json, &scores->links);
    else
        writer_fields(json, CLUSTERS, &scores->clusters);
}

/* Keeps the scores in the run folder. A failure costs the other rows nothing: it is said at the end. */
static void save(struct task *task, const char *folder, const struct task_scores *scores)
{
    struct writer json = {.style = WRITER_FILE};
    char file[64];
    snprintf(file, sizeof file, "eval-%s.json", task->request->task);
    writer_open(&json, NULL, '{');
    writer_string(&json, "task", task->request->task);
    writer_string(&json, "dataset", graco_dataset_describe(task->data).name);
    if (!task->links.pair)
        writer_integer(&json, "seed", (int64_t)task->request->seed);
    write_fields(&json, task, scores);
    writer_close(&json);
    if (scoring_save(folder, file, &json) != GRACO_OK && !*task->unsaved)
        snprintf(task->unsaved, sizeof task->unsaved, "%s", output_failed());
}

/* Scores a file of embeddings, of a run folder unless that is NULL. */
static graco_status score_file(struct task *task, const char *name, const char *file,
                               const char *folder)
{
    graco_matrix Z = {0};
    struct task_scores scores = {0};
    graco_status status = loading_embeddings(&Z, NULL, file, task->data);
    if (status == GRACO_OK)
        status = score(&scores, task, &Z);
    graco_matrix_clear(&Z);
    if (status != GRACO_OK)
        return status;
    if (task->request->json) {
        writer_open(&task->json, NULL, '{');
        writer_string(&task->json, "name", name);
        write_fields(&task->json, task, &scores);
        writer_close(&task->json);
    } else if (task->links.pair) {
        print_links(name, &scores.links);
    } else {
        print_clusters(name, &scores.clusters);
    }
    if (folder)
        save(task, folder, &scores);
    graco_cluster_result_clear(&scores.clusters);
    return GRACO_OK;
}

static graco_status score_folder(struct task *task, const char *folder)
{
    char file[RUNS_PATH_MAX + 64];
    graco_status status = scoring_file(file, folder, task->data);
    if (status == GRACO_ERROR_ARGUMENT && task->links.pair)
        return output_fail(status,
                           "%.800s; it may have seen the links that are tested: train on %s",
                           output_failed(), graco_dataset_describe(task->data).name);
    return status == GRACO_OK ? score_file(task, folder, file, folder) : status;
}

/* A file, a run, or every run of a folder. */
static graco_status score_argument(struct task *task, const char *path)
{
    struct stat found;
    char folder[RUNS_PATH_MAX];
    if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode))
        return score_file(task, path, path, NULL);
    struct runs_form form = runs_found(path);
    graco_status status = form.runs == 0 ? score_folder(task, path) : GRACO_OK;
    for (int64_t r = 1; status == GRACO_OK && r <= form.runs; r++)
        status = runs_at(folder, path, r, -1)
                     ? score_folder(task, folder)
                     : output_fail(GRACO_ERROR_ARGUMENT, "the name %.80s is too long", path);
    return status;
}

int task_run(const struct command *command, const struct task_request *request)
{
    struct task task = {.request = request};
    char folder[RUNS_PATH_MAX];
    int code = EXIT_FINE, last = command->count - 1;
    const char *source = command->arguments[last], *run = NULL;
    for (int i = 0; !run && i < last; i++)
        run = runs_first(folder, command->arguments[i]) ? folder : NULL;
    graco_status status = loading_dataset(&task.data, source, request->load, run, request->json);
    if (status == GRACO_OK && strcmp(request->task, "link") == 0)
        status = graco_links_load(&task.links, source);
    writer_open(&task.json, NULL, '{');
    writer_string(&task.json, "task", request->task);
    writer_open(&task.json, "embeddings", '[');
    for (int i = 0; status == GRACO_OK && i < last; i++)
        status = score_argument(&task, command->arguments[i]);
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
    graco_dataset_free(task.data);
    return code;
}
