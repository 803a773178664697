/* report.html of a search: the choice, the best so far, every setting against the score, every row. Scores
 * are those of the first seed, which all trials have. */
#include "tune/search.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/files/file.h"
#include "report/page.h"
#include "report/plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static_assert((int)PLOT_X_NAMES >= (int)SPACE_WORDS, "a plot has room for all words of a setting");

/* What is shown: the measurements of the first seed, in order, and their scores. */
struct shown {
    const struct search *search;
    const struct choice *choice;
    int64_t count;
    struct measurement *list;
    double *score; /* (count) -INFINITY: failed */
    double *x, *y; /* (count) of the plot under way */
    int32_t *class_of;
};

static bool by_validation(const struct shown *shown)
{
    return shown->search->options->criterion == GRACO_CRITERION_VALIDATION;
}

static const char *score_label(const struct shown *shown)
{
    return by_validation(shown) ? "validation score, %" : "score by structure";
}

/* ---- The choice ------------------------------------------------------------------------------ */

static void write_choice(struct web_page *page, const struct shown *shown)
{
    const struct choice *choice = shown->choice;
    char numbers[5][NUMBER_TEXT];
    struct page_figure figures[5] = {
        {numbers[0], "trials", SHEET_NONE},
        {numbers[1], "modularity of the choice", SHEET_NONE},
        {numbers[2], "of the variance of hidden columns predicted", SHEET_NONE},
        {numbers[3], "of hidden edges told from random pairs", SHEET_NONE},
        {numbers[4], "its validation score", SHEET_NONE}};
    snprintf(numbers[0], sizeof numbers[0], "%lld", (long long)search_measured(shown->search));
    number_print(numbers[1], sizeof numbers[1], "%.3f", choice->mean.structure.modularity);
    number_print(numbers[2], sizeof numbers[2], "%.1f %%", 100 * choice->mean.structure.columns);
    number_print(numbers[3], sizeof numbers[3], "%.1f %%", 100 * choice->mean.structure.edges);
    number_print(numbers[4], sizeof numbers[4], "%.1f %%", choice->mean.validation);
    if (isnan(choice->mean.structure.modularity))
        snprintf(numbers[1], sizeof numbers[1], "none");
    if (isnan(choice->mean.structure.columns))
        snprintf(numbers[2], sizeof numbers[2], "none");
    if (isnan(choice->mean.structure.edges))
        snprintf(numbers[3], sizeof numbers[3], "none");
    page_section(page, "choice", "The choice");
    page_figures(page, figures, by_validation(shown) ? 5 : 4);
}

/* Its settings: those that were searched, and the epochs. */
static void write_settings(struct web_page *page, const struct shown *shown)
{
    const struct space *space = &shown->search->space;
    const struct choice *choice = shown->choice;
    struct sheet table = {.title = "Settings of the choice"};
    struct text rungs = {0};
    char value[CONFIG_TEXT];
    sheet_column(&table, "", "setting", false);
    sheet_column(&table, "", "chosen", false);
    sheet_column(&table, "", "searched", false);
    for (int i = 0; i < space->count; i++) {
        space_value(value, &space->axes[i], shown->search->point[choice->mean.trial].at[i]);
        sheet_words(&table, space->axes[i].key);
        sheet_words(&table, value);
        sheet_words(&table, space->axes[i].text);
    }
    sheet_words(&table, "epochs");
    sheet_print(&table, "%lld", (long long)choice->mean.epochs);
    for (int i = 0; i < space->rungs; i++)
        text_print(&rungs, "%s%lld", i > 0 ? "," : "", (long long)space->epochs[i]);
    sheet_words(&table, text_words(&rungs));
    text_clear(&rungs);
    page_table(page, &table,
               choice->seeds > 1 ? "Chosen by the mean over several seeds, which the best few were "
                                   "trained with again."
                                 : "Chosen by one training of each trial.");
    sheet_clear(&table);
}

/* ---- Plots ----------------------------------------------------------------------------------- */

static void write_curve(struct web_page *page, struct shown *shown)
{
    double best = (double)NAN;
    for (int64_t i = 0; i < shown->count; i++) {
        if (isfinite(shown->score[i]) && !(shown->score[i] <= best))
            best = shown->score[i];
        shown->x[i] = (double)shown->list[i].trial;
        shown->y[i] = best;
    }
    const struct plot_series series = {"best so far", shown->count, shown->x, shown->y, NULL, NULL};
    const struct plot_lines plot = {.x_label = "trial",
                                    .y_label = score_label(shown),
                                    .series_count = 1,
                                    .series = &series,
                                    .steps = true};
    page_section(page, "search", "The search");
    page_plots_begin(page, true);
    plot_lines(&page->body,
               &(struct svg_head){.title = "Best so far",
                                  .about = "The best score among the trials up to each one.",
                                  .number = page_number(page)},
               &plot);
    page_plots_end(page, "Trials in the order of their numbers.");
}

/* The place of a value along an axis, as its plot shows it. */
static double place_of(const struct axis *axis, double at)
{
    char value[CONFIG_TEXT], *end;
    if (axis->words > 0) {
        int word = (int)(at * axis->words);
        return word < axis->words ? word : axis->words - 1;
    }
    space_value(value, axis, at);
    double number = number_parse(value, &end);
    return axis->logarithmic ? log10(number) : number;
}

/* A setting against the scores. Colours mean the same in all of these plots: how the trial came about. */
static void write_axis(struct web_page *page, struct shown *shown, int number)
{
    static const char *const origins[] = {"random", "near the best"};
    const struct search *search = shown->search;
    const struct axis *axis = &search->space.axes[number];
    const char *words[SPACE_WORDS];
    char label[SPACE_TEXT + CONFIG_TEXT];
    for (int64_t i = 0; i < shown->count; i++) {
        int64_t trial = shown->list[i].trial;
        shown->x[i] = place_of(axis, search->point[trial].at[number]);
        shown->y[i] = isfinite(shown->score[i]) ? shown->score[i] : (double)NAN;
        shown->class_of[i] = search->local[trial];
    }
    for (int i = 0; i < axis->words; i++)
        words[i] = axis->word[i];
    snprintf(label, sizeof label, "%s%s", axis->key,
             axis->words == 0 && axis->logarithmic ? ", as a power of ten" : "");
    plot_scatter(&page->body,
                 &(struct svg_head){.title = axis->key,
                                    .about = "Scores of all measurements against this setting.",
                                    .number = page_number(page)},
                 &(struct plot_scatter){.x_label = label,
                                        .y_label = score_label(shown),
                                        .count = shown->count,
                                        .classes = sizeof origins / sizeof *origins,
                                        .x = shown->x,
                                        .y = shown->y,
                                        .class_of = shown->class_of,
                                        .class_names = origins,
                                        .measured = true,
                                        .x_names = axis->words > 0 ? words : NULL,
                                        .x_name_count = axis->words});
}

static void write_axes(struct web_page *page, struct shown *shown)
{
    const struct space *space = &shown->search->space;
    int plots = 0;
    for (int i = 0; i < space->count; i++)
        plots += space->axes[i].words != 1;
    if (plots == 0)
        return;
    page_section(page, "settings", "Settings against scores");
    page_plots_begin(page, false);
    for (int i = 0; i < space->count; i++)
        if (space->axes[i].words != 1)
            write_axis(page, shown, i);
    page_plots_end(page, "A point for each measurement; a trial that went on has several. The "
                         "settings of a trial are random, or near those of one of the best trials "
                         "before it.");
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void write_rows(struct web_page *page, const struct shown *shown)
{
    const struct space *space = &shown->search->space;
    struct sheet table = {.title = "Every measurement"};
    char value[CONFIG_TEXT];
    static const char *const names[] = {"epochs",  "score", "modularity",
                                        "columns", "edges", "validation"};
    sheet_column(&table, "", "trial", true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        sheet_column(&table, "", names[i], true);
    for (int i = 0; i < space->count; i++)
        sheet_column(&table, "", space->axes[i].key, false);
    for (int64_t r = 0; r < shown->count; r++) {
        const struct measurement *one = &shown->list[r];
        sheet_print(&table, "%lld", (long long)one->trial);
        sheet_print(&table, "%lld", (long long)one->epochs);
        sheet_number(&table, one->failed ? (double)NAN : shown->score[r], 3);
        sheet_number(&table, one->structure.modularity, 3);
        sheet_number(&table, one->structure.columns, 4);
        sheet_number(&table, one->structure.edges, 3);
        sheet_number(&table, one->validation, 2);
        for (int i = 0; i < space->count; i++) {
            space_value(value, &space->axes[i], shown->search->point[one->trial].at[i]);
            sheet_words(&table, value);
        }
    }
    page_section(page, "rows", "Every measurement");
    page_folded_table(page, &table, "Of the first seed; trials.csv has all.");
    sheet_clear(&table);
}

/* ---- The page -------------------------------------------------------------------------------- */

static graco_status gather(struct shown *shown)
{
    const struct trials *trials = &shown->search->trials;
    PASS(memory_alloc(&shown->list, trials->count, sizeof *shown->list));
    PASS(memory_alloc(&shown->score, trials->count, sizeof *shown->score));
    PASS(memory_alloc(&shown->x, trials->count, sizeof *shown->x));
    PASS(memory_alloc(&shown->y, trials->count, sizeof *shown->y));
    PASS(memory_alloc(&shown->class_of, trials->count, sizeof *shown->class_of));
    for (int64_t i = 0; i < trials->count; i++)
        if (trials->list[i].used && trials->list[i].seed == 0)
            shown->list[shown->count++] = trials->list[i];
    for (int64_t i = 0; i < shown->count; i++)
        shown->score[i] = trials_score(&shown->list[i], shown->search->options->criterion);
    return GRACO_OK;
}

graco_status search_write_page(const struct search *search, const struct choice *choice)
{
    graco_status status = GRACO_OK;
    struct shown shown = {.search = search, .choice = choice};
    struct web_page page = {0};
    struct text title = {0}, lead = {0}, html = {0};
    TRY(gather(&shown));
    text_print(&title, "Settings for %s", search->data->name);
    text_print(&lead, "A search of graco %s over the settings of the method %s, compared by %s.",
               graco_version(), search->space.base.method,
               by_validation(&shown) ? "scores on validation nodes"
                                     : "the structure of their embeddings, without labels");
    page.title = text_words(&title);
    page.lead = text_words(&lead);
    write_choice(&page, &shown);
    write_settings(&page, &shown);
    write_curve(&page, &shown);
    write_axes(&page, &shown);
    write_rows(&page, &shown);
    page_write(&html, &page);
    TRY(text_status(&title));
    TRY(text_status(&lead));
    TRY(file_write_text(search->page, &html));
done:
    page_clear(&page);
    text_clear(&html);
    text_clear(&lead);
    text_clear(&title);
    memory_free(shown.class_of);
    memory_free(shown.y);
    memory_free(shown.x);
    memory_free(shown.score);
    memory_free(shown.list);
    return status;
}
