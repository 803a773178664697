/* Facts: what the readers find of each data set, and graco's presets, beside what the paper prints of both. Neither has
 * scores, so they are plain tables. */
#include "report.h"

#include "graco_more.h"

#include <stdio.h>

static void write_facts(struct document *document, const struct item *item, struct sheet *sheet)
{
    sheet->title = item->title;
    document_table(document, sheet, "");
    document_csv(document, item->name, sheet);
    sheet_clear(sheet);
}

void report_datasets(struct report *report, const struct item *item)
{
    static const char *const counts[SET_COUNTS] = {"nodes", "edges", "features", "classes"};
    struct sheet sheet = {0};
    int first, count = report_cells(&first, report, item);
    sheet_column(&sheet, "", "set", false);
    for (int k = 0; k < SET_COUNTS; k++) {
        char paper[32];
        snprintf(paper, sizeof paper, "paper: %s", counts[k]);
        sheet_column(&sheet, "", counts[k], true);
        sheet_column(&sheet, "", paper, true);
    }
    sheet_column(&sheet, "", "note", false);
    for (int i = first; i < first + count; i++) {
        const struct set *set = &manifest_sets[report->cells[i].set];
        const struct score_cell *shown = &report->shown[i];
        const struct sample *sample = results_find(report->results, shown->key, 0);
        sheet_words(&sheet, set->name);
        for (int k = 0; k < SET_COUNTS; k++) {
            const int64_t ours[] = {sample ? sample->nodes : 0, sample ? sample->edges : 0,
                                    sample ? sample->features : 0, sample ? sample->classes : 0};
            if (sample)
                sheet_print(&sheet, "%lld", (long long)ours[k]);
            else
                sheet_words(&sheet, "-");
            sheet_words(&sheet, set->counts[k]);
        }
        sheet_print(&sheet, "%s%s%s", set->edges_follow, *shown->note ? "; " : "", shown->note);
    }
    write_facts(&report->document, item, &sheet);
}

/* Two rows for each set: graco's preset, and the paper's table, which has no column for tau. */
void report_hyperparameters(struct report *report, const struct item *item)
{
    static const char *const keys[SET_SETTINGS + 1] = {
        "drop_feature_1", "drop_feature_2", "drop_edge_1", "drop_edge_2", "lr",
        "weight_decay",   "epochs",         "hidden",      "activation",  "tau"};
    struct sheet sheet = {0};
    sheet_column(&sheet, "", "set", false);
    for (int k = 0; k <= SET_SETTINGS; k++)
        sheet_column(&sheet, "", keys[k], !cells_listed("lr,epochs,activation", keys[k]));
    for (const struct set *set = manifest_sets; set < manifest_sets + SETS; set++) {
        graco_config *config = NULL;
        char value[64];
        sheet_words(&sheet, set->name);
        document_keep(&report->document, graco_config_create(&config, "grace", set->name));
        for (int k = 0; k <= SET_SETTINGS; k++) {
            if (!config || graco_config_get(config, keys[k], value, sizeof value) != GRACO_OK)
                snprintf(value, sizeof value, "?");
            sheet_words(&sheet, value);
        }
        graco_config_free(config);
        sheet_print(&sheet, "%s, paper", set->name);
        for (int k = 0; k <= SET_SETTINGS; k++)
            sheet_words(&sheet, k < SET_SETTINGS ? set->settings[k] : "-");
    }
    write_facts(&report->document, item, &sheet);
}
