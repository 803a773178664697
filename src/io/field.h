/* A field of a table of text. */
#ifndef IO_FIELD_H
#define IO_FIELD_H

#include "io/files/file.h"

/* Writes a field by RFC 4180: quoted where it holds what separates fields or lines, or a quote, which then
 * is doubled. `safe` puts ' before what a spreadsheet would take for a formula. */
graco_status field_write(struct file_writer *writer, const char *field, char separator, bool safe);

#endif
