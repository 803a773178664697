/* The page and the Markdown grow side by side, and the files of tables and pictures are saved as they come: the first
 * failure of any of them ends the saving, and is what document_end returns. */
#include "report/document.h"

#include "base/memory.h"
#include "io/files/file.h"

#include <stdio.h>

void document_keep(struct document *document, graco_status status)
{
    if (document->status == GRACO_OK)
        document->status = status;
}

/* Saves a text as FOLDER/NAME.SUFFIX, or NAME_INDEX.SUFFIX where index is not 0. */
static void save(struct document *document, const struct text *text, const char *name,
                 int64_t index, const char *suffix)
{
    char file[96], *path = NULL;
    if (!document->folder || document->status != GRACO_OK)
        return;
    if (index > 0)
        snprintf(file, sizeof file, "%s_%lld.%s", name, (long long)index, suffix);
    else
        snprintf(file, sizeof file, "%s.%s", name, suffix);
    document->status = memory_path(&path, document->folder, file);
    if (document->status == GRACO_OK)
        document->status = file_write_text(path, text);
    memory_free(path);
}

void document_section(struct document *document, const char *name, const char *title)
{
    page_section(&document->page, name, title);
    text_add(&document->markdown, "\n## ");
    text_markdown(&document->markdown, title);
    text_add(&document->markdown, "\n");
}

void document_paragraph(struct document *document, const char *words)
{
    if (!*words)
        return;
    page_paragraph(&document->page, words);
    text_add(&document->markdown, "\n");
    text_markdown(&document->markdown, words);
    text_add(&document->markdown, "\n");
}

void document_list_begin(struct document *document)
{
    page_list_begin(&document->page);
    text_add(&document->markdown, "\n");
}

void document_item(struct document *document, const char *lead, const char *words)
{
    page_list_item(&document->page, lead, words);
    text_add(&document->markdown, *lead ? "- **" : "- ");
    text_markdown(&document->markdown, lead);
    text_add(&document->markdown, *lead ? "** " : "");
    text_markdown(&document->markdown, words);
    text_add(&document->markdown, "\n");
}

void document_list_end(struct document *document)
{
    page_list_end(&document->page);
}

void document_table(struct document *document, const struct sheet *table, const char *caption)
{
    page_table(&document->page, table, caption);
    text_add(&document->markdown, "\n");
    sheet_markdown(&document->markdown, table);
    text_add(&document->markdown, *caption ? "\n" : "");
    text_markdown(&document->markdown, caption);
    text_add(&document->markdown, *caption ? "\n" : "");
}

void document_csv(struct document *document, const char *name, const struct sheet *table)
{
    struct text csv = {0};
    sheet_csv(&csv, table);
    save(document, &csv, name, 0, "csv");
    text_print(&document->markdown, "\nEvery number: [%s.csv](%s.csv)\n", name, name);
    text_clear(&csv);
}

void document_numbers(struct document *document, const char *name, const struct sheet *table)
{
    page_folded_table(&document->page, table, "");
    document_csv(document, name, table);
}

static void draw(struct text *out, const struct svg_head *head, const struct document_plot *plot)
{
    if (plot->lines)
        plot_lines(out, head, plot->lines);
    else if (plot->heat)
        plot_heat(out, head, plot->heat);
    else
        plot_scatter(out, head, plot->scatter);
}

void document_plots_begin(struct document *document, bool narrow)
{
    page_plots_begin(&document->page, narrow);
    text_add(&document->markdown, "\n");
}

void document_plot(struct document *document, const struct document_plot *plot)
{
    struct text alone = {0};
    struct svg_head head = {.title = plot->title, .about = plot->about};
    head.number = page_number(&document->page);
    draw(&document->page.body, &head, plot);
    head.alone = true;
    draw(&alone, &head, plot);
    save(document, &alone, plot->name, plot->index, "svg");
    text_add(&document->markdown, "![");
    text_markdown(&document->markdown, plot->title);
    text_print(&document->markdown, "](%s", plot->name);
    if (plot->index > 0)
        text_print(&document->markdown, "_%lld", (long long)plot->index);
    text_add(&document->markdown, ".svg)\n");
    text_clear(&alone);
}

void document_plots_end(struct document *document, const char *caption)
{
    page_plots_end(&document->page, caption);
    text_add(&document->markdown, "\n");
    text_markdown(&document->markdown, caption);
    text_add(&document->markdown, "\n");
}

void document_begin(struct document *document)
{
    text_add(&document->markdown, "# ");
    text_markdown(&document->markdown, document->page.title);
    text_add(&document->markdown, "\n\n");
    text_markdown(&document->markdown, document->page.lead);
    text_add(&document->markdown, "\n");
}

graco_status document_end(struct text *html, struct text *markdown, struct document *document)
{
    page_write(html, &document->page);
    text_append(markdown, &document->markdown);
    document_keep(document, text_status(html));
    document_keep(document, text_status(markdown));
    page_clear(&document->page);
    text_clear(&document->markdown);
    return document->status;
}
