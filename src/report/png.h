/* A picture of pixels as a PNG file (ISO/IEC 15948): eight bits each of red, green and blue. */
#ifndef REPORT_PNG_H
#define REPORT_PNG_H

#include "base/status.h"

/* Writes pixels (height, width, 3), the highest row first, atomically. Either side is 1 to 2^15. */
graco_status png_save(const uint8_t *pixels, int64_t width, int64_t height, const char *path);

#endif
