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
};

static void print_links(const char *name, const graco_link_result *result)
{
    printf("%s: %" PRId64 " test links against %" PRId64 " other pairs%s\n", name, result->links,
           result->others, result->converged ? "" : ", NOT CONVERGED");
    for (int i = 0; i < GRACO_LINK_SCORES; i++)
        printf("  %-10s AUC %.4f   AP %.4f\n", result->score[i].name, result->score[i].auc,
               result->score[i].average_precision);
}

static void write_links(struct writer *json, const graco_link_result *result)
{
    writer_integer(json, "links", result->links);
    writer_integer(json, "others", result->others);
    for (int i = 0; i < GRACO_LINK_SCORES; i++) {
        writer_open(json, result->score[i].name, '{');
        writer_real(json, "auc", result->score[i].auc);
        writer_real(json, "average_precision", result->score[i].average_precision);
        writer_close(json);
    }
    writer_real(json, "C", result->C);
    writer_bool(json, "converged", result->converged);
    writer_real(json, "seconds", result->seconds);
}

static graco_status score_links(struct task *task, const char *name, const graco_matrix *Z)
{
    graco_link_result result = {0};
    graco_status status =
        graco_evaluate_links(&result, Z, task->data, &task->links, task->request->threads);
    if (status == GRACO_OK && task->request->json)
        write_links(&task->json, &result);
    else if (status == GRACO_OK)
        print_links(name, &result);
    return status;
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

static void write_clusters(struct writer *json, const graco_cluster_result *result)
{
    writer_integer(json, "nodes", result->nodes);
    writer_integer(json, "clusters", result->clusters);
    writer_integer(json, "labelled", result->labelled);
    writer_real(json, "nmi", result->nmi);
    writer_real(json, "ari", result->ari);
    writer_real(json, "accuracy", result->accuracy);
    writer_real(json, "modularity", result->modularity);
    writer_real(json, "silhouette", result->silhouette);
    writer_real(json, "seconds", result->seconds);
}

static graco_status score_clusters(struct task *task, const char *name, const graco_matrix *Z)
{
    graco_cluster_result result = {0};
    const graco_cluster_options options = {.clusters = task->request->clusters,
                                           .starts = graco_cluster_defaults().starts,
                                           .seed = task->request->seed,
                                           .threads = task->request->threads};
    graco_status status = graco_evaluate_clusters(&result, Z, task->data, &options);
    if (status == GRACO_OK && task->request->json)
        write_clusters(&task->json, &result);
    else if (status == GRACO_OK)
        print_clusters(name, &result);
    graco_cluster_result_clear(&result);
    return status;
}

/* ---- Embeddings ------------------------------------------------------------------------------- */

static graco_status score_file(struct task *task, const char *name, const char *file)
{
    graco_matrix Z = {0};
    graco_status status = graco_matrix_load(&Z, file);
    if (status == GRACO_OK && task->request->json) {
        writer_open(&task->json, NULL, '{');
        writer_string(&task->json, "name", name);
    }
    if (status == GRACO_OK)
        status = task->links.pair ? score_links(task, name, &Z) : score_clusters(task, name, &Z);
    if (status == GRACO_OK && task->request->json)
        writer_close(&task->json);
    graco_matrix_clear(&Z);
    return status;
}

static graco_status score_folder(struct task *task, const char *folder)
{
    char file[RUNS_PATH_MAX + 64];
    graco_status status = scoring_file(file, folder, task->data);
    if (status == GRACO_ERROR_ARGUMENT && task->links.pair)
        return output_fail(status,
                           "%.800s; it may have seen the links that are tested: train on %s",
                           output_failed(), graco_dataset_describe(task->data).name);
    return status == GRACO_OK ? score_file(task, folder, file) : status;
}

/* A file, a run, or every run of a folder. */
static graco_status score_argument(struct task *task, const char *path)
{
    struct stat found;
    char folder[RUNS_PATH_MAX];
    if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode))
        return score_file(task, path, path);
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
    writer_clear(&task.json);
    graco_links_clear(&task.links);
    graco_dataset_free(task.data);
    return code;
}
