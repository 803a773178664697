/* Clusters and links of a training, kept in eval-cluster.json and eval-link.json: the last ones that were scored, with
 * what they depend on, as scores are. */
#include "run/run.h"

#include "base/memory.h"
#include "base/writer.h"
#include "data/fingerprint.h"
#include "data/links.h"
#include "graco_command.h"
#include "io/files/file.h"
#include "io/json/json.h"

#define CLUSTER(member, kind) FIELD(graco_cluster_result, member, kind)
static const struct field CLUSTERS[] = {CLUSTER(nodes, INT),       CLUSTER(clusters, INT),
                                        CLUSTER(labelled, INT),    CLUSTER(nmi, REAL),
                                        CLUSTER(ari, REAL),        CLUSTER(accuracy, REAL),
                                        CLUSTER(modularity, REAL), CLUSTER(silhouette, REAL),
                                        CLUSTER(seconds, REAL),    {0}};
#define LINK(member, kind) FIELD(graco_link_result, member, kind)
static const struct field COUNTED[] = {LINK(links, INT), LINK(others, INT), {0}};
static const struct field PROBE[] = {
    LINK(C, REAL), LINK(converged, BOOL), LINK(seconds, REAL), {0}};
/* Of the first score; the others lie behind it. */
#define RANKED(member) FIELD_AS(#member, graco_link_result, score[0].member, REAL)
static const struct field RANKING[] = {RANKED(auc), RANKED(average_precision), {0}};
static const size_t NEXT_SCORE =
    offsetof(graco_link_result, score[1]) - offsetof(graco_link_result, score[0]);

/* ---- Files ------------------------------------------------------------------------------------ */

/* A task of one training. */
struct task_file {
    const char *task, *name; /* "cluster", "eval-cluster.json" */
    struct graco_run *run;
    int64_t index; /* of the training */
    const struct graco_dataset *data;
    struct made_from from;
    struct json *kept; /* the file, if it has scores of the same; else NULL */
};

/* Looks for kept scores; `numbers` decide them beside embeddings and data. */
static graco_status find_kept(struct task_file *file, const int64_t *numbers, int64_t count)
{
    struct run_training *training = &file->run->trainings[file->index];
    text_clear(&training->task);
    file->run->compared = NULL; /* another data set may have had this address */
    PASS(made_from_embeddings(&file->from, file->run, file->index, 1, file->data));
    made_from_options(&file->from, file->run, file->task, numbers, count);
    PASS(kept_read(&file->kept, training->folder, file->name));
    if (file->kept && made_from_same(file->kept, &file->from))
        return GRACO_OK;
    json_free(file->kept);
    file->kept = NULL;
    return GRACO_OK;
}

/* Begins the file anew, which goes on with its scores. */
static void begin(struct writer *json, const struct task_file *file)
{
    json->style = WRITER_FILE;
    writer_open(json, NULL, '{');
    writer_string(json, "task", file->task);
    writer_string(json, "dataset", file->data->name);
}

/* Ends it, to be kept when that is asked for. */
static graco_status end(struct writer *json, const struct task_file *file)
{
    struct run_training *training = &file->run->trainings[file->index];
    made_from_write(json, &file->from);
    writer_close(json);
    graco_status status = writer_finish(json);
    training->task = json->text;
    training->task_file = file->name;
    return status;
}

graco_status graco_run_keep_task(graco_run *run, int64_t index)
{
    struct run_training *training = &run->trainings[index];
    char *path = NULL;
    if (training->task.length == 0 || !file_is_folder(training->folder))
        return GRACO_OK;
    PASS(memory_path(&path, training->folder, training->task_file));
    graco_status status = file_write_text(path, &training->task);
    memory_free(path);
    return status;
}

/* ---- Clusters --------------------------------------------------------------------------------- */

void graco_clusters_write(struct writer *json, const graco_cluster_result *result)
{
    writer_fields(json, CLUSTERS, result);
}

/* Those of a file; without a cluster for each node *out has none. */
static graco_status read_clusters(graco_cluster_result *out, const struct json *kept,
                                  const struct graco_dataset *data)
{
    const struct json *list = json_find(kept, "cluster");
    int64_t number = 0;
    bool good = kept && json_fields(out, CLUSTERS, kept) == GRACO_OK &&
                out->nodes == data->graph->nodes && json_size(list) == out->nodes;
    if (!good)
        return GRACO_OK;
    PASS(memory_alloc(&out->cluster, out->nodes, sizeof *out->cluster));
    for (int64_t i = 0; good && i < out->nodes; i++) {
        good = json_as_int(&number, json_at(list, i)) && number >= 0 && number < out->clusters;
        out->cluster[i] = (int32_t)number;
    }
    if (!good)
        graco_cluster_result_clear(out);
    return GRACO_OK;
}

static graco_status make_clusters(graco_cluster_result *out, const struct task_file *file,
                                  const graco_cluster_options *options)
{
    struct writer json = {0};
    const graco_matrix *Z = NULL;
    PASS(run_borrow(&Z, file->run, file->index, file->data));
    graco_status status = graco_evaluate_clusters(out, Z, file->data, options);
    run_give_back(file->run, file->index);
    PASS(status);
    begin(&json, file);
    writer_integer(&json, "seed", (int64_t)options->seed);
    graco_clusters_write(&json, out);
    writer_open(&json, "cluster", '[');
    for (int64_t i = 0; i < out->nodes; i++)
        writer_integer(&json, NULL, out->cluster[i]);
    writer_close(&json);
    return end(&json, file);
}

graco_status graco_run_clusters(graco_cluster_result *out, graco_run *run, int64_t index,
                                const graco_dataset *data, const graco_cluster_options *options)
{
    const graco_cluster_options how = options ? *options : graco_cluster_defaults();
    const int64_t numbers[] = {how.clusters, how.starts, (int64_t)how.seed, data->inductive};
    struct task_file file = {
        .task = "cluster", .name = "eval-cluster.json", .run = run, .index = index, .data = data};
    graco_cluster_result made = {0};
    graco_status status = GRACO_OK;
    TRY(find_kept(&file, numbers, sizeof numbers / sizeof *numbers));
    TRY(read_clusters(&made, file.kept, data));
    if (!made.cluster)
        TRY(make_clusters(&made, &file, &how));
    *out = made;
    made.cluster = NULL;
done:
    graco_cluster_result_clear(&made);
    json_free(file.kept);
    return status;
}

/* ---- Links ------------------------------------------------------------------------------------ */

void graco_links_write(struct writer *json, const graco_link_result *result)
{
    writer_fields(json, COUNTED, result);
    for (int i = 0; i < GRACO_LINK_SCORES; i++)
        writer_object(json, graco_link_score(i), RANKING, (const char *)result + i * NEXT_SCORE);
    writer_fields(json, PROBE, result);
}

static bool read_links(graco_link_result *out, const struct json *kept)
{
    bool good = kept && json_fields(out, COUNTED, kept) == GRACO_OK &&
                json_fields(out, PROBE, kept) == GRACO_OK;
    for (int i = 0; good && i < GRACO_LINK_SCORES; i++) {
        out->score[i].name = graco_link_score(i);
        good = json_fields((char *)out + i * NEXT_SCORE, RANKING,
                           json_find(kept, graco_link_score(i))) == GRACO_OK;
    }
    return good;
}

graco_status graco_run_links(graco_link_result *out, graco_run *run, int64_t index,
                             const graco_dataset *data, const graco_links *links, int64_t threads)
{
    const int64_t bytes = links->count * LINKS_FIELDS * (int64_t)sizeof *links->pair;
    const int64_t hash = (int64_t)fingerprint_bytes(0, (const uint8_t *)links->pair, bytes);
    struct task_file file = {
        .task = "link", .name = "eval-link.json", .run = run, .index = index, .data = data};
    struct writer json = {0};
    graco_link_result made = {0};
    const graco_matrix *Z = NULL;
    graco_status status = GRACO_OK;
    TRY(find_kept(&file, (const int64_t[]){bytes, hash}, 2));
    if (!read_links(&made, file.kept)) {
        TRY(run_borrow(&Z, run, index, data));
        status = graco_evaluate_links(&made, Z, data, links, threads);
        run_give_back(run, index);
        TRY(status);
        begin(&json, &file);
        graco_links_write(&json, &made);
        TRY(end(&json, &file));
    }
    *out = made;
done:
    json_free(file.kept);
    return status;
}
