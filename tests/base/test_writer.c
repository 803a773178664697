/* JSON as text: four layouts, numbers, escapes, and what cannot be written. */
#include "base/writer.h"
#include "check.h"

#include <math.h>

/* Whether the writer has come to this text, without the newline at its end; clears it. */
static bool holds(struct writer *json, const char *text)
{
    bool same = writer_finish(json) == GRACO_OK && json->text.length == (int64_t)strlen(text) + 1 &&
                strncmp(json->text.bytes, text, strlen(text)) == 0 &&
                json->text.bytes[json->text.length - 1] == '\n';
    if (!same)
        fprintf(stderr, "%s\ninstead of %s\n", text_words(&json->text), text);
    writer_clear(json);
    return same;
}

static void fill(struct writer *json)
{
    writer_open(json, NULL, '{');
    writer_string(json, "name", "cora");
    writer_open(json, "list", '[');
    writer_integer(json, NULL, INT64_MIN);
    writer_real(json, NULL, 0.1);
    writer_open(json, NULL, '{');
    writer_bool(json, "yes", true);
    writer_null(json, "none");
    writer_close(json);
    writer_close(json);
    writer_open(json, "flat", '[');
    writer_integer(json, NULL, 1);
    writer_integer(json, NULL, 2);
    writer_close(json);
    writer_open(json, "empty", '[');
    writer_close(json);
    writer_open(json, "void", '{');
    writer_close(json);
    writer_bool(json, "last", false);
    writer_close(json);
}

static void test_layout(void)
{
    struct writer line = {0}, file = {.style = WRITER_FILE}, data = {.style = WRITER_DATA};
    struct writer pretty = {.style = WRITER_PRETTY};

    fill(&line);
    CHECK(
        holds(&line,
              "{\"name\": \"cora\", \"list\": [-9223372036854775808, 0.1, {\"yes\": true, "
              "\"none\": null}], \"flat\": [1, 2], \"empty\": [], \"void\": {}, \"last\": false}"));
    fill(&file);
    CHECK(holds(&file, "{\n \"name\": \"cora\",\n \"list\": [\n  -9223372036854775808,\n"
                       "  0.10000000000000001,\n  {\n   \"yes\": true,\n   \"none\": null\n  }\n "
                       "],\n \"flat\": [\n  1,\n  2\n ],\n"
                       " \"empty\": [],\n \"void\": {},\n \"last\": false\n}"));
    fill(&data);
    CHECK(holds(&data, "{\"name\":\"cora\",\"list\":[-9223372036854775808,0.1,{\"yes\":true,"
                       "\"none\":null}],\"flat\":[1,2],\"empty\":[],\"void\":{},\"last\":false}"));
    fill(&pretty);
    CHECK(holds(&pretty,
                "{\n  \"name\": \"cora\",\n  \"list\": [-9223372036854775808, 0.1,\n    {\n"
                "      \"yes\": true,\n      \"none\": null\n    }\n  ],\n  \"flat\": [1, 2],\n"
                "  \"empty\": [],\n  \"void\": {},\n  \"last\": false\n}"));
}

static void test_reals(void)
{
    static const struct {
        double value;
        const char *line, *file, *data;
    } cases[] = {
        {0, "0.0", "0.0", "0.0"},
        {-0.0, "-0.0", "-0.0", "-0.0"},
        {1, "1.0", "1.0", "1.0"},
        {1.0 / 3, "0.333333333333", "0.33333333333333331", "0.3333333333333333"},
        {1e5, "100000.0", "100000.0", "1e+05"},
        {1e20, "1e20", "1e20", "1e+20"},
        {1e-5, "1e-5", "1.0000000000000001e-5", "1e-05"},
        {-2.5e-10, "-2.5e-10", "-2.5000000000000002e-10", "-2.5e-10"},
        {1e300, "1e300", "1.0000000000000001e300", "1e+300"},
        {(double)NAN, "null", "null", "null"},
        {(double)-INFINITY, "null", "null", "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct writer line = {0}, file = {.style = WRITER_FILE}, data = {.style = WRITER_DATA};
        writer_real(&line, NULL, cases[i].value);
        writer_real(&file, NULL, cases[i].value);
        CHECK(holds(&line, cases[i].line));
        CHECK(holds(&file, cases[i].file));
        writer_real(&data, NULL, cases[i].value);
        CHECK(holds(&data, cases[i].data));
    }
}

static void test_strings(void)
{
    static const char *const bad[] = {"\x80",
                                      "\xff",
                                      "a\xc3",
                                      "\xc0\xaf",
                                      "\xe0\x80\x80",
                                      "\xed\xa0\x80",
                                      "\xe2\x82",
                                      "\xf0\x80\x80\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80"};
    struct writer json = {0};

    writer_string(&json, NULL, "\"\\/\b\f\n\r\t\x01\x1f\x7f");
    CHECK(holds(&json, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\""));
    writer_string(&json, NULL, "\xc3\xa9\xed\x9f\xbf\xf0\x9f\x90\xa2\xf4\x8f\xbf\xbf");
    CHECK(holds(&json, "\"\xc3\xa9\xed\x9f\xbf\xf0\x9f\x90\xa2\xf4\x8f\xbf\xbf\""));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        writer_open(&json, NULL, '[');
        writer_string(&json, NULL, bad[i]);
        writer_integer(&json, NULL, 1);
        writer_close(&json);
        CHECK(writer_finish(&json) == GRACO_ERROR_ARGUMENT);
        writer_clear(&json);
    }
}

int main(void)
{
    test_layout();
    test_reals();
    test_strings();
    return check_result();
}
