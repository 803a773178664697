/* Fuzzes frames of Arrow streams, which an input describes; buffers are as long as the arrays say, since
 * nobody else can know. In this form:
 *
 *     columns, chunks
 *     of each column    a format; 1: its values are in a dictionary of another format
 *     of each chunk     rows, offset, and of each column: length, offset, nulls, which buffers are missing, items
 */
#include "arrow_made.h"
#include "fuzz.h"

enum { COLUMNS = 3, CHUNKS = 2, ITEMS = 96, ITEM = 16, BYTES = 128 };

static const char *const FORMATS[] = {"u",  "U", "vu",  "z",     "c",        "s",    "i",
                                      "l",  "L", "f",   "g",     "b",        "n",    "tdD",
                                      "+l", "C", "ttu", "d:9,2", "d:9,2,32", "tsm:", "dxx"};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

struct made_array {
    struct ArrowArray array;
    const void *buffers[4];
    uint8_t valid[ITEMS / 8], items[(ITEMS + 1) * ITEM], bytes[BYTES];
    int64_t sizes[1];
};

static struct {
    struct made_stream made;
    struct ArrowSchema fields[COLUMNS], dictionaries[COLUMNS], *children[COLUMNS];
    struct ArrowArray chunks[CHUNKS], *parts[CHUNKS][COLUMNS];
    struct made_array arrays[CHUNKS][COLUMNS], values[CHUNKS][COLUMNS];
} f;

/* A small number, sometimes below 0 and rarely huge. */
static int64_t number(struct fuzz_input *input, int64_t most)
{
    int byte = fuzz_byte(input);
    return byte == 255 ? INT64_MAX : byte == 254 ? -1 : byte % (most + 1);
}

/* Fills `items`: of offsets and views small numbers, so that they stay within `bytes` where they are not below 0. */
static void fill(struct made_array *made, const char *format, struct fuzz_input *input)
{
    int64_t taken;
    const uint8_t *bytes = fuzz_take(&taken, input, ITEMS);
    memset(made->items, 0, sizeof made->items);
    for (int64_t i = 0; i < taken; i++) {
        int32_t narrow = (int8_t)bytes[i];
        int64_t wide = narrow;
        if (*format == 'u' || *format == 'z')
            memcpy(made->items + 4 * i, &narrow, sizeof narrow);
        else if (*format == 'U')
            memcpy(made->items + 8 * i, &wide, sizeof wide);
        else if (*format == 'v')
            memcpy(made->items + 4 * i, &narrow, sizeof narrow);
        else
            made->items[i] = bytes[i];
    }
}

static void make_array(struct made_array *made, const char *format, struct fuzz_input *input)
{
    int64_t length = number(input, ITEMS / 2), taken;
    int missing, text = strchr("uUzv", *format) != NULL;
    struct ArrowArray *array = &made->array;
    *array = (struct ArrowArray){
        .length = length, .offset = number(input, 16), .buffers = made->buffers};
    array->offset = array->offset > 16 ? -7 : array->offset; /* a huge one cannot be seen through */
    array->null_count = number(input, 3) - 1;
    missing = fuzz_byte(input);
    array->n_buffers = missing & 64     ? missing & 3
                       : *format == 'v' ? 4
                       : *format == 'n' ? 0
                                        : 2 + text;
    made->sizes[0] = BYTES;
    made->buffers[0] = missing & 1 ? NULL : made->valid;
    made->buffers[1] = (missing & 6) == 6 ? NULL : made->items;
    made->buffers[2] = (missing & 24) == 24 ? NULL : made->bytes;
    made->buffers[3] = missing & 32 ? NULL : made->sizes;
    const uint8_t *valid = fuzz_take(&taken, input, 4);
    memset(made->valid, 0xff, sizeof made->valid);
    if (taken > 0)
        memcpy(made->valid, valid, (size_t)taken);
    memset(made->bytes, 'x', sizeof made->bytes);
    fill(made, format, input);
}

static void make_chunk(int k, struct fuzz_input *input)
{
    int64_t rows = number(input, ITEMS / 4), offset = number(input, 8);
    f.chunks[k] = (struct ArrowArray){.length = rows > ITEMS ? -rows : rows,
                                      .offset = offset > ITEMS ? -1 : offset,
                                      .n_children = f.made.schema.n_children,
                                      .children = f.parts[k]};
    for (int64_t c = 0; c < f.made.schema.n_children; c++) {
        make_array(&f.arrays[k][c], f.fields[c].format, input);
        f.parts[k][c] = &f.arrays[k][c].array;
        if (!f.fields[c].dictionary)
            continue;
        make_array(&f.values[k][c], f.dictionaries[c].format, input);
        if (f.values[k][c].array.length > ITEMS / 2)
            f.values[k][c].array.length = ITEMS / 2;
        f.arrays[k][c].array.dictionary = &f.values[k][c].array;
    }
}

static void use(graco_frame *frame)
{
    static int32_t codes[2][CHUNKS * ITEMS];
    int32_t *const into[] = {codes[0], codes[1]};
    graco_column column;
    graco_array array;
    int64_t rows = 0, width = 0;
    for (; graco_frame_column(&column, frame, width); width++) {
        rows = column.rows;
        FUZZ_PROMISE(rows >= 0 && rows <= CHUNKS * ITEMS && column.nulls <= rows);
        if (graco_frame_numbers(&array, frame, width) == GRACO_OK)
            FUZZ_PROMISE(array.rows == rows && (array.data || rows == 0));
        if (graco_frame_words(&array, into, frame, (const int64_t[]){width, 0}, 2) != GRACO_OK)
            continue;
        for (int64_t i = 0; i < rows; i++)
            FUZZ_PROMISE(codes[0][i] >= -1 && codes[0][i] < array.rows);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct fuzz_input input = {bytes, (int64_t)length};
    graco_frame *frame = NULL;
    int columns = fuzz_byte(&input) % (COLUMNS + 1), chunks = fuzz_byte(&input) % (CHUNKS + 1);
    memset(&f, 0, sizeof f);
    f.made.chunks = f.chunks;
    f.made.count = chunks;
    f.made.schema =
        (struct ArrowSchema){.format = "+s", .n_children = columns, .children = f.children};
    for (int c = 0; c < columns; c++) {
        f.children[c] = &f.fields[c];
        f.fields[c] =
            (struct ArrowSchema){.format = FORMATS[fuzz_byte(&input) % FORMAT_COUNT], .name = "a"};
        f.dictionaries[c].format = FORMATS[fuzz_byte(&input) % FORMAT_COUNT];
        if (fuzz_byte(&input) == 1)
            f.fields[c].dictionary = &f.dictionaries[c];
    }
    for (int k = 0; k < chunks; k++)
        make_chunk(k, &input);
    graco_status status = graco_frame_read(&frame, made_begin(&f.made));
    FUZZ_PROMISE((status == GRACO_OK) == (frame != NULL));
    if (frame)
        use(frame);
    graco_frame_free(frame);
    FUZZ_PROMISE(f.made.open == 0);
    return 0;
}
