/* What the fuzz targets share: taking an input apart, files in memory, and archives that are put
 * together from an input, so that its bytes reach the reader behind the checksums.
 *
 * A target is LLVMFuzzerTestOneInput; it returns 0 and aborts where a result breaks a promise. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "graco.h"

#include "base/memory.h"
#include "graph/graph.h"
#include "io/npy.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define FUZZ_PROMISE(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "broken promise: %s (%s:%d)\n", #condition, __FILE__, __LINE__);       \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* ---- Taking an input apart ------------------------------------------------------------------- */

struct fuzz_input {
    const uint8_t *at;
    int64_t left;
};

static inline int fuzz_byte(struct fuzz_input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

/* The next `wanted` bytes, or as many as there are. */
static inline const uint8_t *fuzz_take(int64_t *taken, struct fuzz_input *input, int64_t wanted)
{
    const uint8_t *at = input->at;
    *taken = wanted < input->left ? wanted : input->left;
    input->at += *taken;
    input->left -= *taken;
    return at;
}

/* The bytes up to the next `mark`, which is taken too. */
static inline const uint8_t *fuzz_until(int64_t *taken, struct fuzz_input *input, int mark)
{
    const uint8_t *at = input->at;
    const uint8_t *found = input->left > 0 ? memchr(at, mark, (size_t)input->left) : NULL;
    *taken = found ? found - at : input->left;
    input->at += *taken + (found != NULL);
    input->left -= *taken + (found != NULL);
    return at;
}

/* ---- Files, in memory where the system has a folder for that --------------------------------- */

static char fuzz_root[64];

static inline void fuzz_remove_root(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", fuzz_root);
    if (system(command) != 0)
        fprintf(stderr, "%s stays\n", fuzz_root);
}

/* The target's own folder; made at the first call, removed at the end. */
static inline const char *fuzz_folder(void)
{
    if (fuzz_root[0])
        return fuzz_root;
    bool memory = access("/dev/shm", W_OK) == 0;
    snprintf(fuzz_root, sizeof fuzz_root, "%s/graco-XXXXXX", memory ? "/dev/shm" : "/tmp");
    if (!mkdtemp(fuzz_root))
        abort();
    atexit(fuzz_remove_root);
    return fuzz_root;
}

static inline void fuzz_path(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", fuzz_folder(), name);
}

static inline void fuzz_write(const char *name, const void *bytes, int64_t length)
{
    char path[256];
    fuzz_path(path, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    FUZZ_PROMISE(file >= 0 && write(file, bytes, (size_t)length) == length);
    close(file);
}

static inline void fuzz_unlink(const char *name)
{
    char path[256];
    fuzz_path(path, name);
    unlink(path);
}

/* ---- Arrays and archives --------------------------------------------------------------------- */

enum { FUZZ_BLOCK = 1 << 16, FUZZ_RAW = 15, FUZZ_HUGE = 3, FUZZ_ITEMS = 1024, FUZZ_MEMBERS = 32 };

/* Bytes that grow up to a bound; what does not fit is dropped. */
struct fuzz_block {
    int64_t length;
    uint8_t bytes[FUZZ_BLOCK];
};

static inline void fuzz_add(struct fuzz_block *block, const void *bytes, int64_t length)
{
    if (length > FUZZ_BLOCK - block->length)
        length = FUZZ_BLOCK - block->length;
    if (length > 0)
        memcpy(block->bytes + block->length, bytes, (size_t)length);
    block->length += length;
}

/* One .npy file from the input, in this form:
 *
 *     kind    low 4 bits: an array_type, or FUZZ_RAW: the bytes are a whole file;
 *             the next 2: dimensions, FUZZ_HUGE: one, of 2^rows items
 *     rows, cols
 *     items   as many as the shape has, zeros if the input ends before */
static inline void fuzz_npy(struct fuzz_block *out, struct fuzz_input *input)
{
    int kind = fuzz_byte(input), rows = fuzz_byte(input), cols = fuzz_byte(input);
    int type = kind & 15, ndim = kind >> 4 & 3;
    int64_t shape[2] = {ndim == FUZZ_HUGE ? (int64_t)1 << rows % 63 : rows, cols}, taken, header;
    struct array array;
    out->length = 0;
    if (type == FUZZ_RAW) {
        const uint8_t *raw = fuzz_take(&taken, input, rows + 256 * cols);
        fuzz_add(out, raw, taken);
        return;
    }
    if (array_describe(&array, (enum array_type)type, 8, ndim == FUZZ_HUGE ? 1 : ndim, shape) !=
            GRACO_OK ||
        npy_header((char *)out->bytes, &header, &array) != GRACO_OK)
        return;
    out->length = header;
    int64_t size = array.count * array.size;
    size = size < FUZZ_ITEMS ? size : FUZZ_ITEMS; /* a larger file is cut */
    const uint8_t *items = fuzz_take(&taken, input, size);
    memset(out->bytes + header, 0, (size_t)size);
    if (taken > 0)
        memcpy(out->bytes + header, items, (size_t)taken);
    out->length += size;
}

/* A zip archive under construction: stored members with right checksums. The library's own writer
 * would do, but makes tables at each call. */
struct fuzz_zip {
    struct fuzz_block *out;
    int count;
    struct {
        char name[32];
        uint32_t checksum, length, place;
    } members[FUZZ_MEMBERS];
};

static inline uint32_t fuzz_checksum(const uint8_t *bytes, int64_t length)
{
    static uint32_t table[256];
    uint32_t c = UINT32_MAX;
    for (uint32_t b = 0; table[255] == 0 && b < 256; b++) {
        table[b] = b;
        for (int bit = 0; bit < 8; bit++)
            table[b] = table[b] >> 1 ^ (table[b] & 1 ? UINT32_C(0xEDB88320) : 0);
    }
    for (int64_t i = 0; i < length; i++)
        c = c >> 8 ^ table[(c ^ bytes[i]) & 255];
    return ~c;
}

/* `count` pairs of a width in bytes and a number, little endian. */
static inline void fuzz_numbers(struct fuzz_block *out, int count, const int64_t *pairs)
{
    for (int i = 0; i < count; i++) {
        uint32_t value = (uint32_t)pairs[2 * i + 1];
        uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                            (uint8_t)(value >> 24)};
        fuzz_add(out, bytes, pairs[2 * i]);
    }
}

static inline void fuzz_zip_begin(struct fuzz_zip *zip, struct fuzz_block *out)
{
    out->length = 0;
    zip->out = out;
    zip->count = 0;
}

/* Adds a member; a name that is there already is left out. */
static inline void fuzz_zip_add(struct fuzz_zip *zip, const char *name,
                                const struct fuzz_block *content)
{
    for (int i = 0; i < zip->count; i++)
        if (strcmp(zip->members[i].name, name) == 0)
            return;
    FUZZ_PROMISE(zip->count < FUZZ_MEMBERS && strlen(name) < 32);
    uint32_t length = (uint32_t)content->length;
    uint32_t checksum = fuzz_checksum(content->bytes, content->length);
    snprintf(zip->members[zip->count].name, 32, "%s", name);
    zip->members[zip->count].checksum = checksum;
    zip->members[zip->count].length = length;
    zip->members[zip->count++].place = (uint32_t)zip->out->length;
    const int64_t header[] = {4, 0x04034b50, 2, 20,         2, 0,
                              2, 0,          4, 0x00210000, 4, checksum,
                              4, length,     4, length,     2, (int64_t)strlen(name),
                              2, 0};
    fuzz_numbers(zip->out, 10, header);
    fuzz_add(zip->out, name, (int64_t)strlen(name));
    fuzz_add(zip->out, content->bytes, content->length);
}

static inline void fuzz_zip_end(struct fuzz_zip *zip)
{
    int64_t place = zip->out->length;
    for (int i = 0; i < zip->count; i++) {
        int64_t length = zip->members[i].length, name = (int64_t)strlen(zip->members[i].name);
        const int64_t entry[] = {4, 0x02014b50,
                                 2, 20,
                                 2, 20,
                                 2, 0,
                                 2, 0,
                                 4, 0x00210000,
                                 4, zip->members[i].checksum,
                                 4, length,
                                 4, length,
                                 2, name,
                                 2, 0,
                                 2, 0,
                                 2, 0,
                                 2, 0,
                                 4, 0,
                                 4, zip->members[i].place};
        fuzz_numbers(zip->out, 16, entry);
        fuzz_add(zip->out, zip->members[i].name, name);
    }
    const int64_t end[] = {4, 0x06054b50, 2, 0,          2, 0,
                           2, zip->count, 2, zip->count, 4, zip->out->length - place,
                           4, place,      2, 0};
    fuzz_numbers(zip->out, 8, end);
}

/* ---- What every data set promises ------------------------------------------------------------ */

static inline void fuzz_check_dataset(graco_dataset *data, graco_status status)
{
    FUZZ_PROMISE((status == GRACO_OK) == (data != NULL));
    if (!data) {
        FUZZ_PROMISE(graco_message()[0] != 0);
        return;
    }
    graco_dataset_info info = graco_dataset_describe(data);
    FUZZ_PROMISE(info.nodes >= 1 && info.edges >= 0 && info.isolated <= info.nodes);
    FUZZ_PROMISE(info.graphs >= 1 && info.graphs <= info.nodes && info.feature_count >= 0);
    graco_dataset_free(data);
}

/* Loads a file of these bytes as a data set. */
static inline void fuzz_load(const char *name, const void *bytes, int64_t length)
{
    char path[256];
    graco_dataset *data = NULL;
    fuzz_write(name, bytes, length);
    fuzz_path(path, name);
    graco_status status = graco_dataset_load(&data, path, NULL);
    fuzz_check_dataset(data, status);
}

/* The same for text that a reader knows by its beginning, which an input gets unless it begins with the
 * same character: mutations stay with this reader. */
static inline void fuzz_load_text(const char *name, const char *begin, const uint8_t *bytes,
                                  size_t length)
{
    static struct fuzz_block file;
    file.length = 0;
    if (length == 0 || *bytes != (uint8_t)*begin)
        fuzz_add(&file, begin, (int64_t)strlen(begin));
    fuzz_add(&file, bytes, (int64_t)length);
    fuzz_load(name, file.bytes, file.length);
}

/* Ends an archive and loads it as a data set. */
static inline void fuzz_load_zip(struct fuzz_zip *zip)
{
    fuzz_zip_end(zip);
    fuzz_load("set.zip", zip->out->bytes, zip->out->length);
}

/* Adds a member with the text up to the next byte 0xff; none if nothing is left. */
static inline void fuzz_text_member(struct fuzz_zip *zip, const char *name,
                                    struct fuzz_input *input)
{
    static struct fuzz_block file;
    int64_t taken;
    if (input->left == 0)
        return;
    const uint8_t *text = fuzz_until(&taken, input, 0xff);
    file.length = 0;
    fuzz_add(&file, text, taken);
    fuzz_zip_add(zip, name, &file);
}

/* Loads an archive of such members. */
static inline void fuzz_texts(const char *const *names, size_t count, struct fuzz_input *input)
{
    static struct fuzz_block whole;
    struct fuzz_zip zip;
    fuzz_zip_begin(&zip, &whole);
    for (size_t i = 0; i < count; i++)
        fuzz_text_member(&zip, names[i], input);
    fuzz_load_zip(&zip);
}

#endif
