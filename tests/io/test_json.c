/* JSON: parsing with positions, writing again, typed fields, numbers that round-trip. */
#include "base/memory.h"
#include "io/files/file.h"
#include "io/json/json.h"

#include "hostile.h"

#include <float.h>
#include <locale.h>

static graco_status parse(struct json **out, const char *text)
{
    return json_parse(out, text, (int64_t)strlen(text));
}

/* The value as text, in the lines of a file or in one. The caller clears it. */
static struct writer written(const struct json *value, bool pretty)
{
    struct writer json = {.style = pretty ? WRITER_PRETTY : WRITER_DATA};
    json_write(&json, NULL, value);
    CHECK(text_status(&json.text) == GRACO_OK);
    return json;
}

static bool decode(const uint8_t *bytes, int64_t length)
{
    struct json *value = NULL, *again = NULL;
    if (json_parse(&value, bytes, length) != GRACO_OK)
        return false;
    for (int pretty = 0; pretty < 2; pretty++) {
        struct writer json = written(value, pretty);
        CHECK(parse(&again, json.text.bytes) == GRACO_OK); /* what we write we can read */
        json_free(again);
        writer_clear(&json);
    }
    json_free(value);
    return true;
}

static void test_parse(const char *folder)
{
    struct json *value = NULL;
    const char *path = hostile_path(folder, "a.json");
    CHECK_FAILS(parse(&value, "{\"a\": 1,\n  oops}"), GRACO_ERROR_FORMAT, "line 2");
    CHECK(value == NULL);
    CHECK_FAILS(parse(&value, "{\"a\": 1, \"a\": 2}"), GRACO_ERROR_FORMAT, "duplicate");
    CHECK_FAILS(parse(&value, ""), GRACO_ERROR_FORMAT, "line");
    CHECK_FAILS(parse(&value, "[1] 2"), GRACO_ERROR_FORMAT, "line 1");
    CHECK_FAILS(parse(&value, "[99999999999999999999]"), GRACO_ERROR_FORMAT, "big");
    CHECK_FAILS(parse(&value, "[NaN]"), GRACO_ERROR_FORMAT, "line 1");
    CHECK_FAILS(parse(&value, "\"\xff\""), GRACO_ERROR_FORMAT, "0xff");
    char deep[10001];
    memset(deep, '[', 10000);
    deep[10000] = 0;
    CHECK_FAILS(parse(&value, deep), GRACO_ERROR_FORMAT, "depth");
    CHECK_OK(file_write_atomic(path, "{\"k\": [}", 8));
    CHECK_FAILS(json_parse_file(&value, path, 100), GRACO_ERROR_FORMAT, "a.json");
    CHECK_FAILS(json_parse_file(&value, path, 7), GRACO_ERROR_FORMAT, "at most 7");
    CHECK_OK(file_write_atomic(path, "{\"k\": []}", 9));
    CHECK_OK(json_parse_file(&value, path, 100));
    json_free(value);
    json_free(NULL);
    unlink(path);
}

/* What the grammar allows, and what it does not. */
static void test_grammar(void)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "1e5",
                                       "1E+5",
                                       "0.5e-3",
                                       "-12.25",
                                       " [ ] ",
                                       "{\"\":{}}",
                                       "\"\\u00e9\\ud83d\\ude00\\n\\/\"",
                                       "null",
                                       "[true,false]",
                                       "9223372036854775807",
                                       "-9223372036854775808",
                                       "\t\r\n1"};
    static const char *const bad[] = {"01",
                                      "-",
                                      "+1",
                                      "1.",
                                      ".5",
                                      "1e",
                                      "1e+",
                                      "0x1",
                                      "tru",
                                      "nul",
                                      "[1,]",
                                      "[,1]",
                                      "[1 2]",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{a:1}",
                                      "{\"a\":1,}",
                                      "{\"a\" 1}",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\\u12g4\"",
                                      "\"\\ud800\"",
                                      "\"\\ud800\\u0041\"",
                                      "\"\\udc00\"",
                                      "\"\\u0000\"",
                                      "\"a\nb\"",
                                      "\"",
                                      "\"\\",
                                      "[",
                                      "{",
                                      "[1",
                                      "{\"a\":1",
                                      "9223372036854775808",
                                      "1e999",
                                      "-1e999",
                                      "infinity",
                                      "nan",
                                      "1 1",
                                      "[]]",
                                      "\"\xc0\xaf\"",
                                      "\"\xed\xa0\x80\""};
    struct json *value = NULL;
    const char *text = NULL;
    double real = 0;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK(parse(&value, good[i]) == GRACO_OK);
        json_free(value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(parse(&value, bad[i]), GRACO_ERROR_FORMAT, "bad JSON at line");
    CHECK_OK(parse(&value, "[\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\", -12.25e1]"));
    CHECK(json_as_string(&text, json_at(value, 0)));
    CHECK(strcmp(text, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") == 0);
    CHECK(json_as_double(&real, json_at(value, 1)) && real == -122.5);
    json_free(value);
    CHECK_FAILS(parse(&value, "[1,\n 2,\n  x]"), GRACO_ERROR_FORMAT, "line 3, column 3");
}

/* A key may stand once in an object, and again in another; a large object is checked as fast. */
static void test_keys(void)
{
    enum { KEYS = 100000, ROOM = 16 };
    static char text[KEYS * ROOM + ROOM];
    struct json *value = NULL;
    size_t used = 1;
    CHECK_OK(parse(&value, "{\"a\":{\"a\":[{\"a\":1},{\"a\":2}],\"b\":0},\"b\":{}}"));
    json_free(value);
    CHECK_FAILS(parse(&value, "{\"a\":{\"a\":1},\n\"\\u0061\":2}"), GRACO_ERROR_FORMAT,
                "line 2, column 9: a duplicate key");
    CHECK_FAILS(parse(&value, "[{\"\":1,\"\":2}]"), GRACO_ERROR_FORMAT, "duplicate");
    text[0] = '{';
    for (int i = 0; i < KEYS; i++)
        used += (size_t)snprintf(text + used, ROOM, "\"%d\":%d,", i, i);
    text[used - 1] = '}';
    CHECK_OK(parse(&value, text));
    CHECK(json_size(value) == KEYS && strcmp(json_at(value, KEYS - 1)->key, "99999") == 0);
    json_free(value);
    snprintf(text + used - 1, ROOM, ",\"77\":0}");
    CHECK_FAILS(parse(&value, text), GRACO_ERROR_FORMAT, "duplicate");
}

static void test_fields(void)
{
    struct json *value = NULL;
    const struct json *part = NULL;
    const char *string = NULL;
    int64_t integer = 0;
    double real = 0;
    bool truth = false;
    CHECK_OK(parse(&value, "{\"s\":\"t\",\"i\":-5,\"d\":0.5,\"b\":true,\"n\":null,\"a\":[1,2.5,"
                           "\"x\"],\"o\":{\"k\":1}}"));
    CHECK_OK(json_get_string(&string, value, "s"));
    CHECK(strcmp(string, "t") == 0);
    CHECK_OK(json_get_int(&integer, value, "i"));
    CHECK(integer == -5);
    CHECK(json_as_double(&real, json_find(value, "d")) && real == 0.5);
    CHECK(json_as_double(&real, json_find(value, "i")) && real == -5);
    CHECK_OK(json_get_bool(&truth, value, "b"));
    CHECK(truth);
    CHECK_OK(json_get_array(&part, value, "a"));
    CHECK(json_size(part) == 3 && json_at(part, 3) == NULL && json_at(part, -1) == NULL);
    CHECK(json_as_int(&integer, json_at(part, 0)) && integer == 1);
    CHECK(!json_as_int(&integer, json_at(part, 1)) && json_as_double(&real, json_at(part, 1)));
    CHECK(json_as_string(&string, json_at(part, 2)) && !json_as_string(&string, NULL));
    CHECK_OK(json_get_object(&part, value, "o"));
    CHECK(json_size(part) == 1 && part->kind == JSON_KIND_OBJECT);
    CHECK(json_find(value, "n") && json_find(value, "n")->kind == JSON_KIND_NULL);
    CHECK(json_find(value, "zz") == NULL && json_find(json_find(value, "i"), "k") == NULL);
    CHECK_FAILS(json_get_int(&integer, value, "d"), GRACO_ERROR_FORMAT, "\"d\" is a number");
    CHECK_FAILS(json_get_string(&string, value, "i"), GRACO_ERROR_FORMAT, "\"i\" is an integer");
    CHECK_FAILS(json_get_int(&integer, value, "s"), GRACO_ERROR_FORMAT, "\"s\" is a string");
    CHECK_FAILS(json_get_bool(&truth, value, "n"), GRACO_ERROR_FORMAT, "\"n\" is null");
    CHECK_FAILS(json_get_array(&part, value, "o"), GRACO_ERROR_FORMAT, "an array expected");
    CHECK_FAILS(json_get_object(&part, value, "gone"), GRACO_ERROR_FORMAT, "missing");
    json_free(value);
}

static void check_written(const char *text, bool pretty, const char *expected)
{
    struct json *value = NULL;
    CHECK_OK(parse(&value, text));
    struct writer json = written(value, pretty);
    CHECK(strcmp(json.text.bytes, expected) == 0);
    writer_clear(&json);
    json_free(value);
}

static void test_write(void)
{
    static const char text[] =
        "{\"name\":\"co\\\"ra\\n\\u0001\\\\\xc3\xa9\",\"n\":-9223372036854775808,\"lr\":0.1,"
        "\"one\":1.0,\"large\":1e+300,\"yes\":true,\"none\":null,\"list\":[30,\"x\"]}";
    check_written(text, false, text);
    CHECK(hostile_truncate(decode, (const uint8_t *)text, sizeof text - 1) == 0);
    hostile_corrupt(decode, (const uint8_t *)text, sizeof text - 1);
    check_written("{\"a\":[[1],[]],\"b\":{},\"c\":[1,2]}", true,
                  "{\n  \"a\": [\n    [1],\n    []\n  ],\n  \"b\": {},\n  \"c\": [1, 2]\n}");
}

struct tree {
    double height, girth;
    int64_t leaves, fallen, count;
    bool evergreen, rare;
    const char *name, *note;
    double *rings;
};

static const struct field TREE[] = {
    FIELD(struct tree, height, REAL),
    FIELD(struct tree, girth, REAL_IF),
    FIELD_AS("leaf count", struct tree, leaves, INT),
    FIELD(struct tree, fallen, INT_IF),
    FIELD(struct tree, evergreen, BOOL),
    FIELD(struct tree, rare, BOOL_IF),
    FIELD(struct tree, name, STRING),
    FIELD(struct tree, note, STRING_IF),
    FIELD_COUNTED(struct tree, rings, count, REALS),
    {0},
};

/* What a table of fields writes, it reads back. */
static void test_tables(void)
{
    static const char *const texts[] = {
        "{\"height\":3.5,\"leaf "
        "count\":-7,\"evergreen\":true,\"name\":\"fir\",\"rings\":[1.0,null]}",
        "{\"height\":null,\"girth\":0.5,\"leaf "
        "count\":0,\"fallen\":2,\"evergreen\":false,\"rare\":true,"
        "\"name\":null,\"note\":\"\",\"rings\":[]}"};
    static const char *const bad[][2] = {
        {"{}", "\"height\" is missing"},
        {"{\"height\":\"3\"}", "\"height\" is a string, a number expected"},
        {"{\"height\":3,\"girth\":[]}", "\"girth\" is an array"},
        {"{\"height\":3,\"leaf count\":0.5}", "\"leaf count\" is a number, an integer"},
        {"{\"height\":3,\"leaf count\":1,\"evergreen\":null}", "a boolean expected"},
        {"{\"height\":3,\"leaf count\":1,\"evergreen\":true,\"name\":1}", "a string expected"},
        {"{\"height\":3,\"leaf count\":1,\"evergreen\":true,\"name\":\"\",\"rings\":[1,\"2\"]}",
         "\"rings\" has an item that is no number"},
        {"[]", "\"height\" is missing"},
    };
    struct json *value = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tree tree = {.girth = NAN};
        struct writer json = {.style = WRITER_DATA};
        CHECK_OK(parse(&value, texts[i]));
        CHECK_OK(json_fields(&tree, TREE, value));
        writer_object(&json, NULL, TREE, &tree);
        CHECK(strcmp(json.text.bytes, texts[i]) == 0);
        writer_clear(&json);
        memory_free(tree.rings);
        json_free(value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tree tree = {0};
        CHECK_OK(parse(&value, bad[i][0]));
        CHECK_FAILS(json_fields(&tree, TREE, value), GRACO_ERROR_FORMAT, bad[i][1]);
        json_free(value);
    }
}

static void check_double(double real)
{
    struct json *again = NULL;
    struct writer json = {.style = WRITER_DATA};
    double back = 0;
    writer_real(&json, NULL, real);
    CHECK(parse(&again, json.text.bytes) == GRACO_OK);
    CHECK(again->kind == JSON_KIND_DOUBLE);
    CHECK(json_as_double(&back, again) && memcmp(&back, &real, 8) == 0);
    writer_clear(&json);
    json_free(again);
}

static void test_doubles(void)
{
    const double fixed[] = {0.0,  -0.0,         1.0 / 3, 0.1,    1e22,
                            1e23, DBL_MAX,      DBL_MIN, 5e-324, 9007199254740993.0,
                            1e15, 123456789.125};
    uint64_t bits = 1;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        check_double(fixed[i]);
    for (int i = 0; i < 2000; i++) {
        double real;
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        memcpy(&real, &bits, sizeof real);
        if (isfinite(real))
            check_double(real);
    }
}

int main(void)
{
    const char *folder = fixture_folder();
    test_parse(folder);
    test_grammar();
    test_keys();
    test_fields();
    test_write();
    test_tables();
    test_doubles();
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) /* a decimal comma must change nothing */
        test_doubles();
    return check_result();
}
