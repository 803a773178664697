/* Words are kept in one text and named by their places, since the text may move as it grows. Place
 * 0 is the empty word. */
#include "report/sheet.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

struct sheet_column {
    int64_t group, name; /* places of words */
    bool number;
};

struct sheet_cell {
    int64_t words, more, label, hover; /* places of words */
    enum sheet_mark mark;
    bool strong;
    bool number; /* written as it is in CSV, where words may be guarded */
};

/* ---- Building -------------------------------------------------------------------------------- */

/* Keeps words; returns their place. */
static int64_t keep(struct sheet *sheet, const char *words)
{
    if (sheet->words.length == 0)
        text_add_bytes(&sheet->words, "", 1);
    if (!words || !*words)
        return 0;
    int64_t place = sheet->words.length;
    text_add_bytes(&sheet->words, words, (int64_t)strlen(words) + 1);
    return place;
}

static const char *kept(const struct sheet *sheet, int64_t place)
{
    return text_words(&sheet->words) + place;
}

/* Makes room for one more item in a block that doubles. */
static bool make_room(struct sheet *sheet, void *block, int64_t *room, int64_t count, size_t size)
{
    if (sheet->words.status == GRACO_OK && count == *room) {
        int64_t more = *room ? 2 * *room : 16;
        sheet->words.status = memory_grow(block, count, more, size);
        *room = sheet->words.status == GRACO_OK ? more : *room;
    }
    return sheet->words.status == GRACO_OK;
}

void sheet_column(struct sheet *sheet, const char *group, const char *name, bool number)
{
    if (!make_room(sheet, &sheet->columns, &sheet->column_room, sheet->column_count,
                   sizeof *sheet->columns))
        return;
    int64_t group_place = keep(sheet, group), name_place = keep(sheet, name);
    sheet->columns[sheet->column_count++] =
        (struct sheet_column){.group = group_place, .name = name_place, .number = number};
}

static struct sheet_cell *next_cell(struct sheet *sheet, const struct sheet_entry *entry)
{
    if (!make_room(sheet, &sheet->cells, &sheet->cell_room, sheet->cell_count,
                   sizeof *sheet->cells))
        return NULL;
    struct sheet_cell *cell = &sheet->cells[sheet->cell_count++];
    *cell = (struct sheet_cell){.mark = entry->mark, .strong = entry->strong};
    cell->words = keep(sheet, entry->words);
    cell->more = keep(sheet, entry->more);
    cell->label = keep(sheet, entry->label);
    cell->hover = keep(sheet, entry->hover);
    return cell;
}

void sheet_add(struct sheet *sheet, const struct sheet_entry *entry)
{
    next_cell(sheet, entry);
}

void sheet_words(struct sheet *sheet, const char *words)
{
    next_cell(sheet, &(struct sheet_entry){.words = words});
}

void sheet_print(struct sheet *sheet, const char *format, ...)
{
    char words[256];
    va_list arguments;
    va_start(arguments, format);
    number_print_list(words, sizeof words, format, arguments);
    va_end(arguments);
    sheet_words(sheet, words);
}

void sheet_number(struct sheet *sheet, double number, int decimals)
{
    char words[64] = "";
    if (!isnan(number))
        number_print(words, sizeof words, fabs(number) < 1e15 ? "%.*f" : "%.*e", decimals, number);
    struct sheet_cell *cell = next_cell(sheet, &(struct sheet_entry){.words = words});
    if (cell)
        cell->number = true;
}

void sheet_clear(struct sheet *sheet)
{
    text_clear(&sheet->words);
    memory_free(sheet->columns);
    memory_free(sheet->cells);
    *sheet = (struct sheet){0};
}

/* ---- HTML ------------------------------------------------------------------------------------ */

/* What a mark looks like, and what it says to whoever does not see it. */
static const struct {
    const char *name, *sign, *meaning;
} MARKS[] = {{"", "", ""},
             {"within", "\xE2\x89\x88", "about equal"},
             {"above", "\xE2\x96\xB2", "higher"},
             {"below", "\xE2\x96\xBC", "lower"}};

static bool same_group(const struct sheet *sheet, int64_t a, int64_t b)
{
    return b < sheet->column_count && sheet->columns[a].group && sheet->columns[b].group &&
           strcmp(kept(sheet, sheet->columns[a].group), kept(sheet, sheet->columns[b].group)) == 0;
}

/* The row of headings over groups; nothing where there are none. */
static void html_groups(struct text *out, const struct sheet *sheet)
{
    bool any = false;
    for (int64_t c = 0; c < sheet->column_count; c++)
        any |= sheet->columns[c].group > 0;
    if (!any)
        return;
    text_add(out, "<tr>");
    for (int64_t c = 0, end; c < sheet->column_count; c = end) {
        for (end = c + 1; same_group(sheet, c, end);)
            end++;
        if (sheet->columns[c].group == 0) {
            text_add(out, "<td></td>");
            continue;
        }
        text_print(out, "<th scope=\"colgroup\" colspan=\"%lld\" class=\"group\">",
                   (long long)(end - c));
        text_html(out, kept(sheet, sheet->columns[c].group));
        text_add(out, "</th>");
    }
    text_add(out, "</tr>\n");
}

/* Whether the column begins a group, after another column: it gets some space before it. */
static bool begins_group(const struct sheet *sheet, int64_t column)
{
    return column > 0 && sheet->columns[column].group && !same_group(sheet, column - 1, column);
}

static void html_head(struct text *out, const struct sheet *sheet)
{
    text_add(out, "<thead>\n");
    html_groups(out, sheet);
    text_add(out, "<tr>");
    for (int64_t c = 0; c < sheet->column_count; c++) {
        text_print(out, "<th scope=\"col\"%s%s%s>", sheet->columns[c].number ? " class=\"n" : "",
                   sheet->columns[c].number && begins_group(sheet, c) ? " first" : "",
                   sheet->columns[c].number ? "\"" : "");
        text_html(out, kept(sheet, sheet->columns[c].name));
        text_add(out, "</th>");
    }
    text_add(out, "</tr>\n</thead>\n");
}

/* A few letters stay in one line, and sentences get a width that they can be read in, however
 * narrow the window is: the table then scrolls. */
static const char *width_of(const char *words)
{
    enum { SHORT = 11, LONG = 36 };
    size_t length = strlen(words);
    return length > LONG                   ? " class=\"long\""
           : length > 0 && length <= SHORT ? " class=\"short\""
                                           : "";
}

static void html_cell(struct text *out, const struct sheet *sheet, int64_t column,
                      const struct sheet_cell *cell)
{
    const char *name = column == 0 ? "th" : "td", *words = kept(sheet, cell->words);
    bool negative = cell->number && words[0] == '-';
    text_print(out, "<%s%s", name, column == 0 ? " scope=\"row\"" : "");
    if (sheet->columns[column].number)
        text_print(out, " class=\"n%s\"", begins_group(sheet, column) ? " first" : "");
    else
        text_add(out, width_of(words));
    if (cell->hover) {
        text_add(out, " title=\"");
        text_html(out, kept(sheet, cell->hover));
        text_add(out, "\"");
    }
    text_add(out, cell->strong ? "><strong>" : ">");
    text_add(out, negative ? "\xE2\x88\x92" : ""); /* as wide as a digit, unlike a hyphen */
    text_html(out, words + negative);
    text_add(out, cell->strong ? "</strong>" : "");
    if (cell->more) {
        text_add(out, "<span class=\"more\">");
        text_html(out, kept(sheet, cell->more));
        text_add(out, "</span>");
    }
    if (cell->label) {
        text_add(out, " <span class=\"label\">");
        text_html(out, kept(sheet, cell->label));
        text_add(out, "</span>");
    }
    if (cell->mark)
        text_print(out,
                   " <span class=\"mark %s\" aria-hidden=\"true\">%s</span>"
                   "<span class=\"unseen\"> %s</span>",
                   MARKS[cell->mark].name, MARKS[cell->mark].sign, MARKS[cell->mark].meaning);
    text_print(out, "</%s>", name);
}

static int64_t rows_of(const struct sheet *sheet)
{
    return sheet->column_count > 0 ? sheet->cell_count / sheet->column_count : 0;
}

void sheet_html(struct text *out, const struct sheet *sheet, const char *caption)
{
    if (out->status == GRACO_OK)
        out->status = sheet->words.status;
    if (out->status != GRACO_OK)
        return;
    text_add(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    text_html(out, sheet->title ? sheet->title : "");
    text_add(out, "\">\n<table");
    if (caption) {
        text_add(out, " aria-describedby=\"");
        text_html(out, caption);
        text_add(out, "\"");
    }
    text_add(out, ">\n");
    html_head(out, sheet);
    text_add(out, "<tbody>\n");
    for (int64_t r = 0; r < rows_of(sheet); r++) {
        text_add(out, "<tr>");
        for (int64_t c = 0; c < sheet->column_count; c++)
            html_cell(out, sheet, c, &sheet->cells[r * sheet->column_count + c]);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody>\n</table>\n</div>\n");
}

/* ---- Markdown and CSV ------------------------------------------------------------------------ */

static void markdown_cell(struct text *out, const struct sheet *sheet,
                          const struct sheet_cell *cell)
{
    text_add(out, cell->strong ? "**" : "");
    text_markdown(out, kept(sheet, cell->words));
    text_add(out, cell->strong ? "**" : "");
    text_markdown(out, kept(sheet, cell->more));
    if (cell->label) {
        text_add(out, " *");
        text_markdown(out, kept(sheet, cell->label));
        text_add(out, "*");
    }
    if (cell->mark)
        text_print(out, " %s", MARKS[cell->mark].sign);
}

void sheet_markdown(struct text *out, const struct sheet *sheet)
{
    if (out->status == GRACO_OK)
        out->status = sheet->words.status;
    if (out->status != GRACO_OK)
        return;
    text_add(out, "|");
    for (int64_t c = 0; c < sheet->column_count; c++) {
        bool first = sheet->columns[c].group && (c == 0 || !same_group(sheet, c - 1, c));
        text_add(out, " ");
        if (first) {
            text_add(out, "**");
            text_markdown(out, kept(sheet, sheet->columns[c].group));
            text_add(out, "** ");
        }
        text_markdown(out, kept(sheet, sheet->columns[c].name));
        text_add(out, " |");
    }
    text_add(out, "\n|");
    for (int64_t c = 0; c < sheet->column_count; c++)
        text_add(out, sheet->columns[c].number ? "---:|" : "---|");
    for (int64_t r = 0; r < rows_of(sheet); r++) {
        text_add(out, "\n|");
        for (int64_t c = 0; c < sheet->column_count; c++) {
            text_add(out, " ");
            markdown_cell(out, sheet, &sheet->cells[r * sheet->column_count + c]);
            text_add(out, " |");
        }
    }
    text_add(out, "\n");
}

void sheet_csv(struct text *out, const struct sheet *sheet)
{
    if (out->status == GRACO_OK)
        out->status = sheet->words.status;
    if (out->status != GRACO_OK)
        return;
    for (int64_t c = 0; c < sheet->column_count; c++) {
        text_add(out, c > 0 ? "," : "");
        text_field(out, kept(sheet, sheet->columns[c].name), ',', true);
    }
    text_add(out, "\n");
    for (int64_t i = 0; i < rows_of(sheet) * sheet->column_count; i++) {
        const struct sheet_cell *cell = &sheet->cells[i];
        if (cell->number)
            text_add(out, kept(sheet, cell->words));
        else
            text_field(out, kept(sheet, cell->words), ',', true);
        text_add(out, (i + 1) % sheet->column_count == 0 ? "\n" : ",");
    }
}
