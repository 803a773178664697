/* Escaping, and texts that grow: what a file says must not become markup, a formula or a new cell.
 * */
#include "check.h"

#include "io/files/file.h"
#include "report/sheet.h"

#include <locale.h>

typedef void escape_fn(struct text *, const char *);

static void check_escape(escape_fn *escape, const char *words, const char *expected)
{
    struct text text = {0};
    escape(&text, words);
    if (strcmp(text_words(&text), expected) != 0)
        fprintf(stderr, "'%s' became '%s', expected '%s'\n", words, text_words(&text), expected);
    CHECK(strcmp(text_words(&text), expected) == 0);
    CHECK(text_status(&text) == GRACO_OK && text.length == (int64_t)strlen(expected));
    text_clear(&text);
}

static void script_string(struct text *text, const char *words)
{
    text_json(text, words, true);
}

static void table_field(struct text *text, const char *words)
{
    text_field(text, words, ',', true);
}

static void escaping(void)
{
    check_escape(text_html, "", "");
    check_escape(text_html, "<script>alert('1')</script>",
                 "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;");
    check_escape(text_html, "a \"b\" & \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\t\n",
                 "a &quot;b&quot; &amp; \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\t\n");
    check_escape(text_html, "\x01\x1B\x7F|", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|");
    check_escape(text_html, "\xFF\xC3(", "\xEF\xBF\xBD\xEF\xBF\xBD("); /* not UTF-8 */
    check_escape(text_html, "\xEF\xBF\xBE", "\xEF\xBF\xBD");           /* no character of XML */

    check_escape(text_markdown, "a|b\nc", "a\\|b c");
    check_escape(text_markdown, "<b>*x* _y_ `z` [l](u) #1 ~s~ $m$ \\",
                 "&lt;b&gt;\\*x\\* \\_y\\_ \\`z\\` \\[l\\](u) \\#1 \\~s\\~ \\$m\\$ \\\\");
    check_escape(text_markdown, "&amp; \"quotes\"", "&amp;amp; \"quotes\"");

    check_escape(script_string, "a \"b\" \\ </script>&\n",
                 "\"a \\\"b\\\" \\\\ \\u003C/script\\u003E\\u0026\\n\"");
    check_escape(script_string, "\xE2\x80\xA8\xD7\xA9\xFF", "\"\\u2028\xD7\xA9\xEF\xBF\xBD\"");

    check_escape(table_field, "plain words", "plain words");
    check_escape(table_field, "a,b", "\"a,b\"");
    check_escape(table_field, "say \"x\"\nand y", "\"say \"\"x\"\"\nand y\"");
    check_escape(table_field, "=1+1", "'=1+1");
    check_escape(table_field, "-1,2", "\"'-1,2\"");
    check_escape(table_field, "@x", "'@x");
    check_escape(table_field, "a=1", "a=1");
    check_escape(table_field, "#a\xFF", "\"#a\xFF\"");
    check_escape(table_field, "a ", "\"a \"");
    check_escape(table_field, "", "");
}

static void growing(void)
{
    struct text text = {0}, other = {0};
    char expected[40];
    CHECK(strcmp(text_words(&text), "") == 0);
    for (int i = 0; i < 5000; i++)
        text_print(&text, "%05d,", i);
    CHECK(text.length == 30000 && strncmp(text_words(&text) + 6 * 4999, "04999,", 6) == 0);
    text_clear(&text);

    char *many = malloc(3001); /* more than a text has room for at first */
    memset(many, 'x', 3000);
    many[3000] = 0;
    text_print(&text, "<%s>", many);
    CHECK(text.length == 3002 && text_words(&text)[3001] == '>');
    free(many);
    text_clear(&text);

    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        printf("left out: numbers in a locale with commas (de_DE.UTF-8 is not installed)\n");
    text_print(&text, "%.2f", 1.5);
    snprintf(expected, sizeof expected, "1.50");
    CHECK(strcmp(text_words(&text), expected) == 0);
    setlocale(LC_ALL, "C");

    other.status = GRACO_ERROR_MEMORY; /* a failure is handed on, and ends all writing */
    text_append(&text, &other);
    text_add(&text, "more");
    CHECK(text_status(&text) == GRACO_ERROR_MEMORY && strcmp(text_words(&text), expected) == 0);
    CHECK(file_write_text("/nowhere/at/all", &text) == GRACO_ERROR_MEMORY);
    text_clear(&text);
    CHECK(text_status(&text) == GRACO_OK);
}

/* A table of two groups, with everything that a cell can have. */
static void tables(void)
{
    struct sheet table = {.title = "T & <t>"};
    struct text out = {0};
    sheet_column(&table, "", "row", false);
    sheet_column(&table, "G<", "a|b", true);
    sheet_column(&table, "G<", "c", true);
    sheet_words(&table, "=r");
    sheet_number(&table, -1.25, 1);
    sheet_add(&table, &(struct sheet_entry){.words = "2",
                                            .more = " + 1",
                                            .label = "<l>",
                                            .hover = "\"h\"",
                                            .mark = SHEET_ABOVE,
                                            .strong = true});
    sheet_words(&table, "s");
    sheet_number(&table, NAN, 1);
    sheet_print(&table, "%.1f|", 0.5);
    sheet_html(&out, &table, "cap");
    const char *html = text_words(&out);
    CHECK(strstr(html, "role=\"region\" tabindex=\"0\" aria-label=\"T &amp; &lt;t&gt;\""));
    CHECK(strstr(html, "<table aria-describedby=\"cap\">"));
    CHECK(strstr(html, "<th scope=\"colgroup\" colspan=\"2\" class=\"group\">G&lt;</th>"));
    CHECK(strstr(html, "<th scope=\"row\" class=\"short\">=r</th>"));
    CHECK(strstr(html, ">\xE2\x88\x92"
                       "1.2</td>")); /* a minus sign, no hyphen */
    CHECK(strstr(html, "<strong>2</strong><span class=\"more\"> + 1</span>"));
    CHECK(strstr(html, "title=\"&quot;h&quot;\"") && strstr(html, ">&lt;l&gt;</span>"));
    CHECK(strstr(html, "<span class=\"unseen\"> higher</span>"));
    text_clear(&out);
    sheet_markdown(&out, &table);
    CHECK(strcmp(text_words(&out), "| row | **G&lt;** a\\|b | c |\n|---|---:|---:|\n"
                                   "| =r | -1.2 | **2** + 1 *&lt;l&gt;* \xE2\x96\xB2 |\n"
                                   "| s |  | 0.5\\| |\n") == 0);
    text_clear(&out);
    sheet_csv(&out, &table);
    CHECK(strcmp(text_words(&out), "row,a|b,c\n'=r,-1.2,2\ns,,0.5|\n") == 0);
    text_clear(&out);
    sheet_clear(&table);
}

int main(void)
{
    escaping();
    growing();
    tables();
    return check_result();
}
