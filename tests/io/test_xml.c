/* XML: elements, text and escapes; what is not well-formed is refused with its place. */
#include "check.h"
#include "io/xml/xml.h"

/* The events of a document in one line: (name, )name, "text". "!": refused. */
static const char *events(const char *text)
{
    static char line[1024];
    enum xml_event event = XML_OPEN;
    struct xml xml;
    size_t used = 0;
    line[0] = '\0';
    xml_start(&xml, text, (int64_t)strlen(text));
    while (event != XML_END) {
        if (xml_next(&event, &xml) != GRACO_OK) {
            snprintf(line + used, sizeof line - used, "!");
            break;
        }
        if (event == XML_TEXT)
            used += (size_t)snprintf(line + used, sizeof line - used, "\"%.*s\"",
                                     (int)xml.text.length, xml.text.at);
        else if (event != XML_END)
            used += (size_t)snprintf(line + used, sizeof line - used, "%c%.*s%d",
                                     event == XML_OPEN ? '(' : ')', (int)xml.name.length,
                                     xml.name.at, xml.count);
    }
    xml_clear(&xml);
    return line;
}

#define IS(text, wanted)                                                                           \
    do {                                                                                           \
        const char *found = events(text);                                                          \
        if (strcmp(found, wanted) != 0)                                                            \
            fprintf(stderr, "%s: found %s\n", text, found);                                        \
        CHECK(strcmp(found, wanted) == 0);                                                         \
    } while (0)

#define REFUSES(text, part)                                                                        \
    do {                                                                                           \
        const char *found = events(text);                                                          \
        bool fine = strchr(found, '!') && strstr(graco_message(), part);                           \
        if (!fine)                                                                                 \
            fprintf(stderr, "%s: found %s, '%s'\n", text, found, graco_message());                 \
        CHECK(fine);                                                                               \
    } while (0)

static void documents(void)
{
    IS("<a/>", "(a0)a0");
    IS("<?xml version='1.0' encoding=\"UTF-8\"?>\n<!-- < -- > --><a b='1'\tc = \"x'>\" ><b/>t</a "
       ">\n",
       "(a2(b0)b0\"t\")a0");
    IS("<a><![CDATA[<b>&]]>x<!-- - --><?p ?>y</a><!-- end -->", "(a0\"<b>&\"\"x\"\"y\")a0");
    IS("<y:a-1._\xc3\xb6/>", "(y:a-1._\xc3\xb6"
                             "0)y:a-1._\xc3\xb6"
                             "0");
}

static void refusals(void)
{
    REFUSES("", "the document ends before its root does");
    REFUSES("<a>", "the document ends before its root does");
    REFUSES("<a></b>", "line 1, column 7: this is not the end");
    REFUSES("</a>", "not the end");
    REFUSES("<a/><b/>", "a second root");
    REFUSES("x<a/>", "text outside of the root");
    REFUSES("<a/>x", "text outside of the root");
    REFUSES("<a/><![CDATA[x]]>", "text outside of the root");
    REFUSES("<", "expected a name");
    REFUSES("<1/>", "expected a name");
    REFUSES("<a b/>", "expected =");
    REFUSES("<a b=1/>", "in quotes");
    REFUSES("<a b='1/>", "does not end");
    REFUSES("<a b='<'/>", "has a <");
    REFUSES("<a b='1' b='2'/>", "stands twice");
    REFUSES("<a b='1'c='2'/>", "expected an attribute, > or />");
    REFUSES("<a\n b='1' / >", "line 2, column 8: expected a name");
    REFUSES("<a><!-- </a>", "a comment does not end");
    REFUSES("<a><![CDATA[ ]></a>", "a CDATA section does not end");
    REFUSES("<?xml", "an instruction does not end");
    REFUSES("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "a document type");
    REFUSES("<?xml version='1.0' encoding='UTF-16'?><a/>", "another encoding");
    REFUSES("<?xml version='1.0' encoding='latin1'?><a/>", "another encoding");
    char text[4 * XML_ATTRIBUTES * 4 + 64] = "<a", *at = text + 2;
    for (int i = 0; i <= XML_ATTRIBUTES; i++)
        at += snprintf(at, 16, " b%d=''", i);
    snprintf(at, 4, "/>");
    REFUSES(text, "more than 32 attributes");
    char deep[3 * XML_DEPTH + 4] = "";
    for (int i = 0; i <= XML_DEPTH; i++)
        memcpy(deep + 3 * i, "<a>", 4);
    REFUSES(deep, "nest more than 64 deep");
}

static graco_status value_of(char out[64], const char *text)
{
    enum xml_event event;
    const char *value = NULL;
    struct xml xml;
    xml_start(&xml, text, (int64_t)strlen(text));
    graco_status status = xml_next(&event, &xml);
    if (status == GRACO_OK)
        status = xml_value(&value, &xml, "v");
    if (status == GRACO_OK && !value)
        status = xml_content(&value, &xml);
    if (status == GRACO_OK)
        snprintf(out, 64, "%s", value);
    xml_clear(&xml);
    return status;
}

static void texts(void)
{
    static const char *const sound[][2] = {
        {"<a v='&lt;&gt;&amp;&quot;&apos;'/>", "<>&\"'"},
        {"<a v='&#65;&#x42;&#xe4;&#x1F600;'/>", "AB\xc3\xa4\xf0\x9f\x98\x80"},
        {"<a> \n 1 <b> 2 </b><![CDATA[&amp;]]> </a>", "1 &amp;"},
        {"<a>x&amp;amp;\r\ny</a>", "x&amp;\ny"},
        {"<a/>", ""},
        {"<a> \t </a>", ""},
    };
    static const char *const wrong[][2] = {
        {"<a v='&b;'/>", "an entity"},
        {"<a v='&'/>", "an & without its ;"},
        {"<a v='&lt'/>", "an & without its ;"},
        {"<a v='&;'/>", "an entity"},
        {"<a v='&#;'/>", "an entity"},
        {"<a v='&#0;'/>", "by a number"},
        {"<a v='&#-5;'/>", "by a number"},
        {"<a v='&# 5;'/>", "by a number"},
        {"<a v='&#xD800;'/>", "by a number"},
        {"<a v='&#x110000;'/>", "by a number"},
        {"<a v='&#99999999999;'/>", "by a number"},
        {"<a v='\1'/>", "a control character"},
        {"<a>x</b>", "not the end"},
    };
    char found[64];
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        CHECK_OK(value_of(found, sound[i][0]));
        CHECK(strcmp(found, sound[i][1]) == 0);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(value_of(found, wrong[i][0]), GRACO_ERROR_FORMAT, wrong[i][1]);
}

int main(void)
{
    documents();
    refusals();
    texts();
    return check_result();
}
