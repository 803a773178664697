/* UTF-8 by its definition: the shortest form alone, no surrogates. */
#include "base/utf8.h"

int utf8_encode(char *out, uint32_t point)
{
    int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        return 0;
    if (!out)
        return more + 1;
    /* The first byte says by its leading ones how many follow; each of these has six bits. */
    out[0] = (char)(more == 0 ? point : (0xff00U >> (more + 1) & 0xff) | point >> (6 * more));
    for (int i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (point >> (6 * (more - i)) & 63));
    return more + 1;
}

bool utf8_decode(uint32_t *point, const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    int more = at[0] < 0x80       ? 0
               : at[0] >> 5 == 6  ? 1
               : at[0] >> 4 == 14 ? 2
               : at[0] >> 3 == 30 ? 3
                                  : -1;
    if (more < 0)
        return false;
    uint32_t value = more == 0 ? at[0] : at[0] & (0x3fU >> more);
    for (int i = 1; i <= more; i++) {
        if (at[i] >> 6 != 2) /* also stops at the NUL */
            return false;
        value = value << 6 | (at[i] & 63);
    }
    if (utf8_encode(NULL, value) != more + 1) /* overlong, surrogate or too large */
        return false;
    *point = value;
    *text += more + 1;
    return true;
}

size_t utf8_prefix(const char *text)
{
    const char *at = text;
    uint32_t point = 0;
    while (*at && utf8_decode(&point, &at))
        continue;
    return (size_t)(at - text);
}

int64_t utf8_count(const char *text, size_t length)
{
    int64_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

void utf8_mend(char *text)
{
    while (*(text += utf8_prefix(text)))
        *text++ = '?';
}
