/* graco info: describes a data set. */
#include "commands.h"
#include "loading.h"
#include "output.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

/* How many class names the table shows. */
enum { CLASSES_SHOWN = 8 };

static int print_json(const graco_dataset *data, const graco_dataset_info *info)
{
    struct writer json = {0};
    writer_open(&json, NULL, '{');
    writer_string(&json, "name", info->name);
    writer_integer(&json, "nodes", info->nodes);
    writer_integer(&json, "edges", info->edges);
    writer_integer(&json, "self_loops", info->self_loops);
    writer_integer(&json, "duplicates", info->duplicates);
    writer_integer(&json, "isolated", info->isolated);
    writer_integer(&json, "features", info->feature_count);
    writer_integer(&json, "feature_entries", info->feature_entries);
    writer_integer(&json, "classes", info->classes);
    if (graco_dataset_class(data, 0)) {
        writer_open(&json, "class_names", '[');
        for (int64_t i = 0; i < info->classes; i++)
            writer_string(&json, NULL, graco_dataset_class(data, i));
        writer_close(&json);
    }
    writer_integer(&json, "graphs", info->graphs);
    writer_bool(&json, "sparse_features", info->sparse_features);
    writer_bool(&json, "multi_label", info->multi_label);
    writer_bool(&json, "directed", info->directed);
    writer_bool(&json, "weighted", info->weighted);
    writer_bool(&json, "has_split", info->has_split);
    writer_bool(&json, "inductive", info->inductive);
    if (info->has_split) {
        writer_open(&json, "split_nodes", '[');
        for (int i = 0; i < 3; i++)
            writer_integer(&json, NULL, info->split_nodes[i]);
        writer_close(&json);
    } else {
        writer_null(&json, "split_nodes");
    }
    writer_close(&json);
    return output_json(&json);
}

static void print_class_names(const graco_dataset *data)
{
    char text[CLASSES_SHOWN * 48] = "";
    size_t used = 0;
    for (int64_t i = 0; i <= CLASSES_SHOWN && graco_dataset_class(data, i); i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.40s", i > 0 ? ", " : "",
                                 i < CLASSES_SHOWN ? graco_dataset_class(data, i) : "...");
    if (*text)
        output_row("class names", "%s", text);
}

static int print_table(const graco_dataset *data, const graco_dataset_info *info)
{
    double cells = (double)info->nodes * (double)info->feature_count;
    output_row("name", "%s", info->name);
    output_row("nodes", "%" PRId64, info->nodes);
    output_row("edges", "%" PRId64 " (%s, without self-loops and duplicates)", info->edges,
               info->directed ? "directed" : "both directions");
    if (info->weighted)
        output_row("weights", "yes");
    output_row("self-loops", "%" PRId64 " removed", info->self_loops);
    output_row("duplicates", "%" PRId64 " removed", info->duplicates);
    output_row("isolated nodes", "%" PRId64, info->isolated);
    if (info->sparse_features && cells > 0)
        output_row("features", "%" PRId64 ", sparse: %" PRId64 " entries (%.2f %%)",
                   info->feature_count, info->feature_entries,
                   100 * (double)info->feature_entries / cells);
    else
        output_row("features", "%" PRId64 "%s", info->feature_count,
                   info->feature_count ? ", dense" : "");
    output_row("classes", "%" PRId64 "%s", info->classes,
               info->classes == 0  ? " (no labels)"
               : info->multi_label ? ", several per node"
                                   : "");
    print_class_names(data);
    output_row("graphs", "%" PRId64, info->graphs);
    if (info->has_split)
        output_row("split",
                   "%" PRId64 " training, %" PRId64 " validation, %" PRId64 " test nodes%s",
                   info->split_nodes[0], info->split_nodes[1], info->split_nodes[2],
                   info->inductive ? "; inductive" : "");
    else
        output_row("split", "none");
    return output_finish();
}

int cmd_info(int argc, char **argv)
{
    graco_load_options load = {0};
    graco_dataset *data = NULL;
    bool json = false;
    const struct option options[] = {
        LOADING_OPTIONS(load),
        OPTION_ROW_FLAG("json", 0, &json, "print one JSON object"),
        {0},
    };
    struct command command = {
        .name = "info",
        .synopsis = "DATASET [--json]",
        .summary = "Describes a data set: a name under $GRACO_DATA, a file or a folder.",
        .options = options,
        .min_arguments = 1,
        .max_arguments = 1,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    graco_status status = loading_dataset(&data, command.arguments[0], &load, NULL, json);
    if (status != GRACO_OK)
        return output_failure(status);
    graco_dataset_info info = graco_dataset_describe(data);
    code = json ? print_json(data, &info) : print_table(data, &info);
    graco_dataset_free(data);
    return code;
}
