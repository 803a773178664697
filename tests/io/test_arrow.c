/* Frames through Arrow's C data interface: every layout, chunks, slices, nulls; and streams that contradict
 * themselves. */
#include "arrow_made.h"

#include "check.h"

enum { ROWS = 4, COLUMNS = 3 };

/* A table of up to three columns in up to two chunks, which tests then change. */
struct table {
    struct made_stream made;
    struct ArrowSchema fields[COLUMNS], dictionary, *children[COLUMNS];
    struct ArrowArray arrays[2][COLUMNS], values, *parts[2][COLUMNS], chunks[2];
    const void *buffers[2][COLUMNS][5], *value_buffers[5];
};

/* One chunk of `rows` rows with columns of these formats and no buffers yet. */
static void begin(struct table *t, int64_t rows, const char *a, const char *b, const char *c)
{
    const char *formats[COLUMNS] = {a, b, c};
    *t = (struct table){.made = {.schema = {.format = "+s"}, .count = 1}};
    t->made.chunks = t->chunks;
    t->made.schema.children = t->children;
    for (int i = 0; i < COLUMNS && formats[i]; i++) {
        t->fields[i] = (struct ArrowSchema){.format = formats[i], .name = &"abc"[i]};
        t->children[i] = &t->fields[i];
        t->made.schema.n_children++;
        for (int k = 0; k < 2; k++) {
            t->arrays[k][i] =
                (struct ArrowArray){.length = rows, .n_buffers = 2, .buffers = t->buffers[k][i]};
            t->parts[k][i] = &t->arrays[k][i];
        }
    }
    for (int k = 0; k < 2; k++)
        t->chunks[k] = (struct ArrowArray){
            .length = rows, .n_children = t->made.schema.n_children, .children = t->parts[k]};
}

static void give(struct table *t, int chunk, int column, const void *valid, const void *items,
                 const void *bytes)
{
    t->buffers[chunk][column][0] = valid;
    t->buffers[chunk][column][1] = items;
    t->buffers[chunk][column][2] = bytes;
    t->arrays[chunk][column].n_buffers = bytes ? 3 : 2;
    t->arrays[chunk][column].null_count = valid ? -1 : 0;
}

static void give_dictionary(struct table *t, int column, const char *format)
{
    t->dictionary = (struct ArrowSchema){.format = format};
    t->fields[column].dictionary = &t->dictionary;
    t->values = (struct ArrowArray){.length = 3, .n_buffers = 3, .buffers = t->value_buffers};
    for (int k = 0; k < 2; k++)
        t->arrays[k][column].dictionary = &t->values;
}

/* The numbers of column 0 are these, of this type; NaN for a null. */
static void check_numbers(struct table *t, graco_type type, int64_t rows, const double *wanted)
{
    graco_frame *frame = NULL;
    graco_array array = {0};
    CHECK_OK(graco_frame_read(&frame, made_begin(&t->made)));
    CHECK_OK(graco_frame_numbers(&array, frame, 0));
    CHECK(array.type == type && array.rows == rows && array.dims == 1);
    for (int64_t i = 0; i < rows && array.type == type; i++) {
        double found = type == GRACO_FLOAT64   ? ((const double *)array.data)[i]
                       : type == GRACO_INT64   ? (double)((const int64_t *)array.data)[i]
                       : type == GRACO_UINT8   ? ((const uint8_t *)array.data)[i]
                       : type == GRACO_FLOAT32 ? (double)((const float *)array.data)[i]
                                               : ((const int16_t *)array.data)[i];
        CHECK(found == wanted[i] || (isnan(found) && isnan(wanted[i])));
    }
    graco_frame_free(frame);
    CHECK(t->made.open == 0);
}

static void test_numbers(void)
{
    static const int64_t whole[] = {9, 5, -7, 1 << 20, 3};
    static const int16_t narrow[] = {4, -5, 6, 7};
    static const float single[] = {0.5F, 2, -1, 8};
    static const uint8_t valid[] = {0x0d}, bits[] = {0x16};
    static const int32_t days[] = {0, 1, -1, 20000};
    static const int64_t stamps[] = {0, 1500, -1, INT64_C(1700000000123)};
    static const int64_t decimals[] = {150, 0, -25, -1, 0, 1, 3, 0};
    struct table t;
    begin(&t, ROWS, "l", NULL, NULL);
    give(&t, 0, 0, NULL, whole, NULL);
    check_numbers(&t, GRACO_INT64, 4, (double[]){9, 5, -7, 1 << 20});
    t.arrays[0][0].offset = 1; /* a slice of the array, then of the table */
    check_numbers(&t, GRACO_INT64, 4, (double[]){5, -7, 1 << 20, 3});
    t.arrays[0][0].offset = 0;
    t.chunks[0].offset = 1;
    t.arrays[0][0].length = 5;
    check_numbers(&t, GRACO_INT64, 4, (double[]){5, -7, 1 << 20, 3});
    t.chunks[0].offset = 0;
    give(&t, 0, 0, valid, whole, NULL);
    check_numbers(&t, GRACO_FLOAT64, 4, (double[]){9, NAN, -7, 1 << 20});
    begin(&t, ROWS, "s", NULL, NULL);
    t.made.count = 2;
    give(&t, 0, 0, NULL, narrow, NULL);
    give(&t, 1, 0, NULL, narrow + 2, NULL);
    t.chunks[1].length = 2;
    check_numbers(&t, GRACO_INT16, 6, (double[]){4, -5, 6, 7, 6, 7});
    begin(&t, ROWS, "f", NULL, NULL);
    give(&t, 0, 0, NULL, single, NULL);
    check_numbers(&t, GRACO_FLOAT32, 4, (double[]){0.5, 2, -1, 8});
    begin(&t, ROWS, "b", NULL, NULL);
    give(&t, 0, 0, valid, bits, NULL);
    check_numbers(&t, GRACO_FLOAT64, 4, (double[]){0, NAN, 1, 0});
    begin(&t, ROWS, "tdD", NULL, NULL);
    give(&t, 0, 0, NULL, days, NULL);
    check_numbers(&t, GRACO_FLOAT64, 4, (double[]){0, 86400, -86400, 1728000000});
    begin(&t, ROWS, "tsm:UTC", NULL, NULL);
    give(&t, 0, 0, NULL, stamps, NULL);
    check_numbers(&t, GRACO_FLOAT64, 4, (double[]){0, 1.5, -0.001, 1700000000.123});
    begin(&t, ROWS, "d:10,2", NULL, NULL);
    give(&t, 0, 0, NULL, decimals, NULL);
    check_numbers(&t, GRACO_FLOAT64, 4, (double[]){1.5, -0.25, 0x1p64 / 100, 0.03});
    begin(&t, ROWS, "d:9,3,64", NULL, NULL);
    give(&t, 0, 0, NULL, decimals, NULL);
    check_numbers(&t, GRACO_FLOAT64, 4, (double[]){0.15, 0, -0.025, -0.001});
    begin(&t, ROWS, "d:9,-1,32", NULL, NULL);
    give(&t, 0, 0, NULL, days, NULL);
    check_numbers(&t, GRACO_FLOAT64, 4, (double[]){0, 10, -10, 200000});
    begin(&t, ROWS, "n", NULL, NULL);
    check_numbers(&t, GRACO_FLOAT64, 4, (double[]){NAN, NAN, NAN, NAN});
    begin(&t, 0, "l", NULL, NULL); /* an array of no items needs no buffer */
    check_numbers(&t, GRACO_INT64, 0, NULL);
}

/* Columns in place: the producer's own bytes. */
static void test_in_place(void)
{
    static const int64_t whole[] = {9, 5, -7, 8, 3};
    struct table t;
    graco_frame *frame = NULL;
    graco_array array = {0};
    begin(&t, ROWS, "l", NULL, NULL);
    give(&t, 0, 0, NULL, whole, NULL);
    t.arrays[0][0].offset = 1;
    CHECK_OK(graco_frame_read(&frame, made_begin(&t.made)));
    CHECK_OK(graco_frame_numbers(&array, frame, 0));
    CHECK(array.data == whole + 1);
    graco_frame_free(frame);
    t.made.schema = t.fields[0]; /* a column without a table around it */
    t.made.chunks = &t.arrays[0][0];
    check_numbers(&t, GRACO_INT64, 4, (double[]){5, -7, 8, 3});
}

/* Columns `a` and `b` (b NULL: a alone) have these words and codes. */
static void check_words(struct table *t, int64_t rows, const char *const *wanted, int64_t count,
                        const int32_t *first, const int32_t *second)
{
    graco_frame *frame = NULL;
    graco_array words = {0};
    int32_t codes[2][2 * ROWS];
    int32_t *const into[] = {codes[0], codes[1]};
    CHECK_OK(graco_frame_read(&frame, made_begin(&t->made)));
    CHECK_OK(graco_frame_words(&words, into, frame, (const int64_t[]){0, 1}, second ? 2 : 1));
    CHECK(words.type == GRACO_STRING && words.rows == count);
    for (int64_t i = 0; i < count && words.rows == count; i++)
        CHECK(strcmp(((const char *const *)words.data)[i], wanted[i]) == 0);
    CHECK(memcmp(codes[0], first, (size_t)rows * sizeof *first) == 0);
    CHECK(!second || memcmp(codes[1], second, (size_t)rows * sizeof *second) == 0);
    graco_frame_free(frame);
    CHECK(t->made.open == 0);
}

static void test_words(void)
{
    static const int32_t ends[] = {0, 1, 3, 3, 4, 5};
    static const int64_t wide[] = {1, 3, 4, 4, 5}, sizes[] = {24};
    static const int16_t numbers[] = {7, -3, 7, 0};
    static const uint8_t some[] = {0x0b};
    static const int8_t index[] = {2, 0, 2, 1};
    struct view {
        int32_t length;
        char text[12];
    } views[4] = {{1, "b"}, {12, "twelve bytes"}, {15, "long"}, {0, ""}};
    struct table t;
    memcpy(views[2].text + 4, (const int32_t[]){0, 5}, 8);
    begin(&t, ROWS, "u", "U", NULL);
    give(&t, 0, 0, NULL, ends, "abbca");
    give(&t, 0, 1, NULL, wide, "xabcbz");
    check_words(&t, 4, (const char *const[]){"a", "ab", "bb", "c", "", "b"}, 6,
                (const int32_t[]){0, 2, 4, 3}, (const int32_t[]){1, 3, 4, 5});
    give(&t, 0, 0, some, ends, "abbca"); /* row 2 is null */
    check_words(&t, 4, (const char *const[]){"a", "ab", "bb", "c", "", "b"}, 6,
                (const int32_t[]){0, 2, -1, 3}, (const int32_t[]){1, 3, 4, 5});
    begin(&t, ROWS, "u", NULL, NULL);
    t.made.count = 2;
    give(&t, 0, 0, NULL, ends, "abbca");
    give(&t, 1, 0, NULL, ends, "xbbca");
    t.arrays[1][0].offset = 1;
    check_words(&t, 8, (const char *const[]){"a", "bb", "", "c"}, 4,
                (const int32_t[]){0, 1, 2, 3, 1, 2, 3, 0}, NULL);
    begin(&t, ROWS, "vu", "s", NULL);
    give(&t, 0, 0, NULL, views, "wrongmore than twelve!!");
    t.buffers[0][0][3] = sizes;
    t.arrays[0][0].n_buffers = 4;
    give(&t, 0, 1, NULL, numbers, NULL);
    check_words(&t, 4,
                (const char *const[]){"b", "7", "twelve bytes", "-3", "more than twelv", "", "0"},
                7, (const int32_t[]){0, 2, 4, 5}, (const int32_t[]){1, 3, 1, 6});
    begin(&t, ROWS, "c", NULL, NULL);
    give(&t, 0, 0, some, index, NULL);
    give_dictionary(&t, 0, "u");
    t.value_buffers[1] = ends;
    t.value_buffers[2] = "abbca";
    check_words(&t, 4, (const char *const[]){"", "a", "bb"}, 3, (const int32_t[]){0, 1, -1, 2},
                NULL);
    t.value_buffers[0] = some;
    t.values.null_count = 1; /* the value 2 is null itself */
    check_words(&t, 4, (const char *const[]){"a", "bb"}, 2, (const int32_t[]){-1, 0, -1, 1}, NULL);
}

static void test_columns(void)
{
    static const int32_t ends[] = {0, 1, 2, 3, 4};
    static const int64_t numbers[] = {INT64_MAX, 1, 2, 3};
    static const uint8_t some[] = {0x0d};
    struct table t;
    graco_frame *frame = NULL;
    graco_column column;
    graco_array array;
    begin(&t, ROWS, "u", "l", "+l");
    give(&t, 0, 0, some, ends, "abcd");
    give(&t, 0, 1, some, numbers, NULL);
    CHECK_OK(graco_frame_read(&frame, made_begin(&t.made)));
    CHECK(graco_frame_column(&column, frame, 0) && column.kind == GRACO_COLUMN_WORDS);
    CHECK(column.rows == 4 && column.nulls == 1 && strcmp(column.name, "abc") == 0);
    CHECK(!column.coded);
    CHECK(graco_frame_column(&column, frame, 2) && column.kind == GRACO_COLUMN_OTHER);
    CHECK(!graco_frame_column(&column, frame, 3) && !graco_frame_column(&column, frame, -1));
    CHECK_FAILS(graco_frame_numbers(&array, frame, 0), GRACO_ERROR_FORMAT, "`abc` has words");
    CHECK_FAILS(graco_frame_numbers(&array, frame, 1), GRACO_ERROR_FORMAT, "above 2^53");
    CHECK_FAILS(graco_frame_numbers(&array, frame, 2), GRACO_ERROR_FORMAT, "Arrow's format '+l'");
    CHECK_FAILS(graco_frame_numbers(&array, frame, 3), GRACO_ERROR_ARGUMENT, "from 0 to 2");
    graco_frame_free(frame);
    graco_frame_free(NULL);
}

/* A stream that is refused, and what it says; nothing stays open. */
#define REFUSED(part)                                                                              \
    do {                                                                                           \
        graco_frame *none = NULL;                                                                  \
        CHECK_FAILS(graco_frame_read(&none, made_begin(&t.made)), GRACO_ERROR_FORMAT, part);       \
        CHECK(!none && t.made.open == 0);                                                          \
    } while (0)

static void test_refused(void)
{
    static const int32_t ends[] = {0, 1, 2, 3, 4};
    struct table t;
#define FRESH()                                                                                    \
    (begin(&t, ROWS, "u", "i", NULL), give(&t, 0, 0, NULL, ends, "abcd"),                          \
     give(&t, 0, 1, NULL, ends, NULL))
    FRESH();
    t.made.failure = "the disk is on fire";
    REFUSED("an Arrow stream ends after 4 rows: the disk is on fire");
    FRESH();
    t.chunks[0].n_children = 1;
    REFUSED("chunk 0 has 1 columns: expected 2");
    FRESH();
    t.chunks[0].null_count = 2;
    REFUSED("2 rows that are null as a whole");
    FRESH();
    t.arrays[0][1].length = 3;
    REFUSED("column `bc`: an array of length 3 in a chunk of 4 rows from row 0");
    FRESH();
    t.chunks[0].offset = 1;
    REFUSED("in a chunk of 4 rows from row 1");
    FRESH();
    t.arrays[0][0].n_buffers = 2;
    REFUSED("column `abc`: an array has 2 buffers: expected 3");
    FRESH();
    t.buffers[0][0][1] = NULL;
    REFUSED("an array of length 4 has no items");
    FRESH();
    t.arrays[0][0].null_count = 1;
    REFUSED("1 nulls, but does not say which");
    FRESH();
    t.arrays[0][0].null_count = 5;
    REFUSED("an array of length 4 with 5 nulls");
    FRESH();
    t.arrays[0][0].offset = -1;
    REFUSED("an array of length 4 at offset -1");
    FRESH();
    t.chunks[0].length = INT64_MAX;
    t.arrays[0][0].length = t.arrays[0][1].length = INT64_MAX;
    REFUSED("an array of length 9223372036854775807");
    FRESH();
    t.parts[0][1] = NULL;
    REFUSED("a chunk has no array");
    FRESH();
    t.children[1] = NULL;
    REFUSED("has no format");
    FRESH();
    t.made.schema.n_children = -1;
    REFUSED("-1 columns");
    FRESH();
    t.made.schema.format = NULL;
    REFUSED("the schema of an Arrow stream has no format");
    FRESH();
    give_dictionary(&t, 0, "u");
    REFUSED("indices of the format 'u'");
    FRESH();
    made_begin(&t.made);
    t.made.stream.release(&t.made.stream);
    graco_frame *none = NULL;
    CHECK_FAILS(graco_frame_read(&none, &t.made.stream), GRACO_ERROR_ARGUMENT,
                "it can be read once");
}

/* What only the values show. */
static void test_refused_values(void)
{
    static const int32_t back[] = {0, 3, 2, 3, 4}, below[] = {-1, 0, 1, 2, 3};
    static const int32_t views[4][4] = {{-1}, {20, 0, 0, 5}, {20, 0, 1, 0}, {20, 0, 0, INT32_MAX}};
    static const int64_t sizes[] = {24}, index[] = {0, 3, 0, 0};
    static const double halves[] = {1, 2.5, 3, 4};
    graco_frame *frame = NULL;
    graco_array words;
    int32_t codes[ROWS], *const into[] = {codes};
    struct table t;
#define REFUSED_VALUES(part)                                                                       \
    do {                                                                                           \
        CHECK_OK(graco_frame_read(&frame, made_begin(&t.made)));                                   \
        CHECK_FAILS(graco_frame_words(&words, into, frame, (const int64_t[]){0}, 1),               \
                    GRACO_ERROR_FORMAT, part);                                                     \
        graco_frame_free(frame);                                                                   \
    } while (0)
    begin(&t, ROWS, "u", NULL, NULL);
    give(&t, 0, 0, NULL, back, "abcd");
    REFUSED_VALUES("column `abc`: a text from byte 3 to 2");
    give(&t, 0, 0, NULL, below, "abcd");
    REFUSED_VALUES("a text from byte -1 to 0");
    give(&t, 0, 0, NULL, (const int32_t[]){0, 1, 2, 3, 4}, "a\0cd");
    REFUSED_VALUES("NUL");
    begin(&t, 1, "vu", NULL, NULL);
    static const char *const said[] = {"a text of -1 bytes",
                                       "20 bytes at 5 of buffer 0, which has 24",
                                       "of buffer 1, which has 0", "at 2147483647 of buffer 0"};
    for (int i = 0; i < 4; i++) {
        give(&t, 0, 0, NULL, views[i], "twenty four bytes, or so");
        t.buffers[0][0][3] = sizes;
        t.arrays[0][0].n_buffers = 4;
        REFUSED_VALUES(said[i]);
    }
    begin(&t, ROWS, "l", NULL, NULL);
    give(&t, 0, 0, NULL, index, NULL);
    give_dictionary(&t, 0, "u");
    t.value_buffers[1] = (const int32_t[]){0, 1, 2, 3};
    t.value_buffers[2] = "abc";
    REFUSED_VALUES("row 1 has the value 3 of a dictionary of 3");
    t.arrays[0][0].dictionary = NULL;
    REFUSED_VALUES("indices, but no dictionary");
    begin(&t, ROWS, "g", NULL, NULL);
    give(&t, 0, 0, NULL, halves, NULL);
    REFUSED_VALUES("a value is no word and no whole number");
}

int main(void)
{
    test_numbers();
    test_in_place();
    test_words();
    test_columns();
    test_refused();
    test_refused_values();
    return check_result();
}
