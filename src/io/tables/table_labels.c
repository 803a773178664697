/* Labels of text tables. A first pass surveys what the labels are like, a second one reads them;
 * classes that have names are numbered in the order of the names. */
#include "io/tables/table.h"

#include "base/memory.h"
#include "io/tables/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void table_labels_clear(struct table_labels *labels)
{
    if (!labels)
        return;
    memory_free(labels->label);
    names_free(labels->ids);
    names_free(labels->labels);
    *labels = (struct table_labels){0};
}

/* The last field of a line, and the id before it if the file has two columns. */
static graco_status read_line(struct scan_field fields[2], int *columns, struct scan *scan)
{
    int count = 0;
    PASS(scan_fields(fields, &count, 2, scan));
    PASS(scan_columns(columns, count, 1, 2,
                      "a label or an id and a label are expected, the same on every line", scan));
    if (count == 1)
        fields[1] = fields[0];
    return GRACO_OK;
}

/* What the labels of a file are like. */
struct survey {
    bool header;  /* the first line is one */
    bool numbers; /* all labels are class numbers */
    int columns;
};

static graco_status survey_labels(struct survey *out, struct scan scan)
{
    struct scan_field fields[2];
    struct survey survey = {0};
    int64_t lines = 0, words = 0, value;
    bool first_word = false;
    while (scan_line(&scan)) {
        PASS(read_line(fields, &survey.columns, &scan));
        bool word = !scan_integer(&value, fields[1], -1, TABLE_CLASSES - 1);
        words += word;
        first_word |= lines == 0 && word;
        lines++;
    }
    survey.header = lines > 1 && first_word && words == 1;
    survey.numbers = words == survey.header;
    *out = survey;
    return GRACO_OK;
}

static graco_status read_labels(struct table_labels *labels, const struct survey *survey,
                                struct scan scan)
{
    struct scan_field fields[2];
    int columns = 0;
    int32_t number = 0;
    int64_t value = 0, classes = 0;
    if (survey->header)
        scan_line(&scan);
    while (scan_line(&scan)) {
        PASS(read_line(fields, &columns, &scan));
        if (labels->ids) {
            PASS(names_add(&number, labels->ids, fields[0].text, fields[0].length));
            if (number != labels->count)
                return status_fail(GRACO_ERROR_FORMAT,
                                   "%s, line %" PRId64 ": the id \"%s\" is repeated", scan.file,
                                   scan.line, names_text(labels->ids, number));
        }
        if (survey->numbers) {
            scan_integer(&value, fields[1], -1, TABLE_CLASSES - 1);
            number = (int32_t)value;
        } else {
            PASS(names_add(&number, labels->labels, fields[1].text, fields[1].length));
        }
        labels->label[labels->count++] = number;
        classes = number >= classes ? number + 1 : classes;
    }
    labels->classes = classes;
    return GRACO_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Renumbers named classes by name, so that the order of rows does not matter. */
static graco_status sort_classes(struct table_labels *labels)
{
    struct names *sorted = NULL;
    char **list = NULL, *block = NULL;
    graco_status status = GRACO_OK;
    int32_t number;
    TRY(names_list(&list, labels->labels));
    block = list[0];
    qsort(list, (size_t)labels->classes, sizeof *list, compare_texts);
    TRY(names_create(&sorted));
    for (int64_t c = 0; c < labels->classes; c++)
        TRY(names_add(&number, sorted, list[c], (int64_t)strlen(list[c])));
    for (int64_t i = 0; i < labels->count; i++) {
        const char *text = names_text(labels->labels, labels->label[i]);
        labels->label[i] = names_find(sorted, text, (int64_t)strlen(text));
    }
    names_free(labels->labels);
    labels->labels = sorted;
    sorted = NULL;
done:
    names_free(sorted);
    memory_free(block);
    memory_free(list);
    return status;
}

graco_status table_labels_read(struct table_labels *out, const char *file, const void *bytes,
                               int64_t length)
{
    struct survey survey;
    struct scan scan;
    graco_status status = GRACO_OK;
    *out = (struct table_labels){0};
    scan_start(&scan, file, bytes, length);
    TRY(survey_labels(&survey, scan));
    TRY(memory_alloc(&out->label, scan_count_lines(bytes, length), sizeof *out->label));
    if (survey.columns == 2)
        TRY(names_create(&out->ids));
    if (!survey.numbers)
        TRY(names_create(&out->labels));
    TRY(read_labels(out, &survey, scan));
    if (out->count == 0)
        FAIL(GRACO_ERROR_FORMAT, "%s holds no labels", file);
    if (out->labels)
        TRY(sort_classes(out));
done:
    if (status != GRACO_OK)
        table_labels_clear(out);
    return status;
}
