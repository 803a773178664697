/* The body and the list of contents grow side by side; the head, with the style, is put before
 * them at the end. Every element is closed and every attribute quoted: the page is XML. */
#include "report/page.h"

#include <stdio.h>

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* <element class="classes">words</element> */
static void element(struct text *out, const char *name, const char *classes, const char *words)
{
    text_print(out, "<%s%s%s%s>", name, *classes ? " class=\"" : "", classes, *classes ? "\"" : "");
    text_html(out, words);
    text_print(out, "</%s>\n", name);
}

void page_section(struct web_page *page, const char *name, const char *title)
{
    text_add(&page->body, page->open ? "</section>\n" : "");
    page->open = true;
    text_add(&page->body, "<section id=\"");
    text_html(&page->body, name);
    text_add(&page->body, "\">\n");
    element(&page->body, "h2", "", title);
    text_add(&page->contents, "<li><a href=\"#");
    text_html(&page->contents, name);
    text_add(&page->contents, "\">");
    text_html(&page->contents, title);
    text_add(&page->contents, "</a></li>\n");
}

void page_heading(struct web_page *page, const char *title)
{
    element(&page->body, "h3", "", title);
}

void page_paragraph(struct web_page *page, const char *words)
{
    if (*words)
        element(&page->body, "p", "", words);
}

void page_list_begin(struct web_page *page)
{
    text_add(&page->body, "<ul>\n");
}

void page_list_item(struct web_page *page, const char *lead, const char *words)
{
    text_add(&page->body, "<li>");
    if (*lead)
        element(&page->body, "strong", "", lead);
    text_html(&page->body, words);
    text_add(&page->body, "</li>\n");
}

void page_list_end(struct web_page *page)
{
    text_add(&page->body, "</ul>\n");
}

void page_figures(struct web_page *page, const struct page_figure *figures, int64_t count)
{
    static const char *const classes[] = {"", "within", "above", "below"};
    text_add(&page->body, "<dl class=\"figures\">\n");
    for (int64_t i = 0; i < count; i++) {
        text_add(&page->body, "<div>");
        element(&page->body, "dt", "", figures[i].name);
        element(&page->body, "dd", classes[figures[i].mark], figures[i].number);
        text_add(&page->body, "</div>\n");
    }
    text_add(&page->body, "</dl>\n");
}

int64_t page_number(struct web_page *page)
{
    return ++page->names;
}

static void captioned_table(struct web_page *page, const struct sheet *table, const char *caption)
{
    char name[32];
    snprintf(name, sizeof name, "caption-%lld", (long long)page_number(page));
    text_add(&page->body, "<figure class=\"table\">\n");
    if (*caption) {
        text_print(&page->body, "<figcaption id=\"%s\">", name);
        text_html(&page->body, caption);
        text_add(&page->body, "</figcaption>\n");
    }
    sheet_html(&page->body, table, *caption ? name : NULL);
    text_add(&page->body, "</figure>\n");
}

void page_table(struct web_page *page, const struct sheet *table, const char *caption)
{
    captioned_table(page, table, caption);
}

void page_folded_table(struct web_page *page, const struct sheet *table, const char *caption)
{
    text_add(&page->body, "<details>\n<summary>");
    text_html(&page->body, table->title ? table->title : "");
    text_add(&page->body, "</summary>\n");
    captioned_table(page, table, caption);
    text_add(&page->body, "</details>\n");
}

void page_plots_begin(struct web_page *page, bool narrow)
{
    text_print(&page->body, "<figure class=\"%s\">\n<div class=\"panels\">\n",
               narrow ? "plots narrow" : "plots");
}

void page_plots_end(struct web_page *page, const char *caption)
{
    text_add(&page->body, "</div>\n");
    element(&page->body, "figcaption", "", caption);
    text_add(&page->body, "</figure>\n");
}

void page_folded_frame(struct web_page *page, const char *title, const struct text *html)
{
    page->frames = true;
    text_add(&page->body, "<details>\n<summary>");
    text_html(&page->body, title);
    text_add(&page->body, "</summary>\n<iframe sandbox=\"allow-scripts allow-downloads\" title=\"");
    text_html(&page->body, title);
    text_add(&page->body, "\" loading=\"lazy\" srcdoc=\"");
    text_html(&page->body, text_words(html));
    text_add(&page->body, "\"></iframe>\n</details>\n");
    if (page->body.status == GRACO_OK)
        page->body.status = html->status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

void page_write(struct text *out, const struct web_page *page)
{
    text_add(out, "<!DOCTYPE html>\n"
                  "<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
                  "<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                  "<meta http-equiv=\"Content-Security-Policy\" "
                  "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:");
    /* Pages within it inherit its policy. */
    text_add(out, page->frames ? "; script-src 'unsafe-inline'" : "");
    text_add(out, "\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n");
    element(out, "title", "", page->title);
    text_add(out, "<style>\n");
    page_style(out);
    text_add(out, "</style>\n</head>\n<body>\n"
                  "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n");
    element(out, "h1", "", page->title);
    element(out, "p", "lead", page->lead);
    text_add(out, "</header>\n<div class=\"columns\">\n<nav aria-label=\"Contents\">\n"
                  "<h2>Contents</h2>\n<ol>\n");
    text_append(out, &page->contents);
    text_add(out, "</ol>\n</nav>\n<main id=\"content\">\n");
    text_append(out, &page->body);
    text_add(out, page->open ? "</section>\n" : "");
    text_add(out, "</main>\n</div>\n</body>\n</html>\n");
}

void page_clear(struct web_page *page)
{
    text_clear(&page->body);
    text_clear(&page->contents);
    *page = (struct web_page){0};
}
