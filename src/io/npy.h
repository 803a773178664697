/* numpy's .npy format, versions 1, 2 and 3.
 *
 *     0  "\x93NUMPY"        6  major        7  minor
 *     8  header length, little endian: 2 bytes in version 1, 4 bytes after
 *        header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } spaces, newline
 *        items
 *
 * Both byte orders and both item orders are decoded. Object arrays are described (ARRAY_OBJECT)
 * and never unpickled; structured types are refused. Reference: numpy.lib.format. */
#ifndef IO_NPY_H
#define IO_NPY_H

#include "base/status.h"
#include "io/array.h"
#include "io/files/file.h"

/* Decodes a whole .npy file in memory. The array owns a copy of its items. The size that the header
 * claims is checked against `length` before anything is allocated; extra bytes at the end are
 * refused. An object array succeeds with type ARRAY_OBJECT and data NULL. */
graco_status npy_decode(struct array *out, const void *bytes, int64_t length);

/* The same, but native-order items in C order stay where they are (out->owned is NULL; `bytes` must
 * outlive the array) if their address is aligned for their type. */
graco_status npy_decode_borrowed(struct array *out, const void *bytes, int64_t length);

/* Whether a file of `length` bytes that begins with these can be decoded as far as its header says:
 * asked before the rest is read. What is beyond `head_length` counts as fine. */
graco_status npy_check(const void *head, int64_t head_length, int64_t length);

/* Reads a .npy file into an array that owns its items. */
graco_status npy_read(struct array *out, const char *path);

/* A .npy file in place: the array borrows from the map where it can. Close frees both. */
struct npy_map {
    struct file_map map;
    struct array array;
};

graco_status npy_map_open(struct npy_map *out, const char *path);

/* What a .npy file says of its items: type and shape. *plain: they lie in C order and native, so that
 * npy_map_part can map some of them. */
graco_status npy_describe(struct array *out, bool *plain, const char *path);

/* Items first .. first + count - 1 of a plain file, as an array of one dimension; only these take
 * addresses. */
graco_status npy_map_part(struct npy_map *out, const char *path, int64_t first, int64_t count);
void npy_map_close(struct npy_map *map);

/* Turns numpy's type text such as "<f8", "|b1", "S10" into a type, the size of one item and whether
 * the bytes must be swapped. Shared with the pickle decoder. */
graco_status npy_type(enum array_type *type, int64_t *size, bool *swap, const char *text,
                      int64_t length);

/* Turns raw items into an owned array: `described` has type, shape, count and size, `raw` has
 * count * size bytes. Shared with the pickle decoder. */
graco_status npy_items(struct array *out, const struct array *described, const void *raw, bool swap,
                       bool fortran);

enum { NPY_HEADER_MAX = 512 };

/* Writes the header of an array of this description to `header`; its length is a multiple of 64. */
graco_status npy_header(char header[NPY_HEADER_MAX], int64_t *length, const struct array *array);

/* Writes a .npy file atomically. */
graco_status npy_write(const char *path, const struct array *array);

/* The same in pieces for what does not fit memory: the header of `described` (its data is not
 * looked at) is written by npy_writer_open, the raw items in C order follow through
 * file_writer_write, then file_writer_commit and file_writer_free. */
graco_status npy_writer_open(struct file_writer **out, const char *path,
                             const struct array *described);

#endif
