/* Four chunks: the header, all rows in one stream of zlib, each after a byte that says how it is
 * filtered, and the end. The filter is always "minus the pixel to the left": large areas of one colour become
 * zeros. */
#include "report/map.h"

#include "base/memory.h"
#include "io/files/file.h"

#include <string.h>
#include <zlib.h>

enum { CHANNELS = 3, DEPTH = 8, COLOUR_RGB = 2, FILTER_LEFT = 1, AROUND = 12 };

static void put_number(uint8_t *at, uint32_t number)
{
    for (int byte = 0; byte < 4; byte++)
        at[byte] = (uint8_t)(number >> (24 - 8 * byte));
}

/* Length, name, bytes and checksum; `at` then is behind it. The bytes may lie in their place. */
static void put_chunk(uint8_t **at, const char *name, const uint8_t *bytes, int64_t length)
{
    put_number(*at, (uint32_t)length);
    memcpy(*at + 4, name, 4);
    memmove(*at + 8, bytes, (size_t)length);
    put_number(*at + 8 + length, (uint32_t)crc32(crc32(0, NULL, 0), *at + 4, (uInt)length + 4));
    *at += AROUND + length;
}

static void filter_row(uint8_t *out, const uint8_t *row, int64_t length)
{
    out[0] = FILTER_LEFT;
    for (int64_t i = 0; i < length; i++)
        out[1 + i] = (uint8_t)(row[i] - (i >= CHANNELS ? row[i - CHANNELS] : 0));
}

graco_status png_save(const uint8_t *pixels, int64_t width, int64_t height, const char *path)
{
    static const uint8_t SIGNATURE[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    graco_status status = GRACO_OK;
    int64_t length = CHANNELS * width, rows = height * (length + 1);
    uint8_t *filtered = NULL, *file = NULL, header[13] = {[8] = DEPTH, [9] = COLOUR_RGB};
    uLongf packed = compressBound((uLong)rows);
    TRY(memory_alloc(&filtered, rows, 1));
    TRY(memory_alloc(
        &file, (int64_t)packed + (int64_t)(sizeof SIGNATURE + sizeof header) + 3 * AROUND, 1));
    for (int64_t y = 0; y < height; y++)
        filter_row(filtered + y * (length + 1), pixels + y * length, length);
    uint8_t *at = file + sizeof SIGNATURE;
    memcpy(file, SIGNATURE, sizeof SIGNATURE);
    put_number(header, (uint32_t)width);
    put_number(header + 4, (uint32_t)height);
    put_chunk(&at, "IHDR", header, sizeof header);
    if (compress2(at + 8, &packed, filtered, (uLong)rows, Z_BEST_COMPRESSION) != Z_OK)
        FAIL(GRACO_ERROR_MEMORY, "%s: out of memory for packing the picture", path);
    put_chunk(&at, "IDAT", at + 8, (int64_t)packed);
    put_chunk(&at, "IEND", at, 0);
    TRY(file_write_atomic(path, file, at - file));
done:
    memory_free(filtered);
    memory_free(file);
    return status;
}
