/* Words are alike if few letters must be changed, added or left out to make one of the other (Levenshtein), or if one
 * begins with the other. */
#include "base/words.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORD_MAX = 32 };

/* Words for which another stands, however alike they look. */
static const struct {
    const char *said, *meant;
} MEANINGS[] = {{"gpu", "cuda"}, {"nvidia", "cuda"}};

/* The distance between the first WORD_MAX letters of two words, without case. */
static int distance(const char *a, const char *b)
{
    int row[WORD_MAX + 1];
    int columns = (int)strnlen(b, WORD_MAX), rows = (int)strnlen(a, WORD_MAX);
    for (int j = 0; j <= columns; j++)
        row[j] = j;
    for (int i = 1; i <= rows; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= columns; j++) {
            int change = diagonal + (strncasecmp(a + i - 1, b + j - 1, 1) != 0);
            int step = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = change < step ? change : step;
        }
    }
    return row[columns];
}

/* What a word of MEANINGS stands for; else the word itself. */
static const char *meaning(const char *word)
{
    for (size_t i = 0; i < sizeof MEANINGS / sizeof *MEANINGS; i++)
        if (strcasecmp(word, MEANINGS[i].said) == 0)
            return MEANINGS[i].meant;
    return word;
}

const char *words_nearest(const char *word, const char *const *words)
{
    const char *nearest = NULL;
    int best = WORD_MAX;
    word = meaning(word);
    size_t length = strlen(word);
    for (; *words; words++) {
        int found = distance(word, *words);
        if (length >= 3 && strncasecmp(word, *words, length) == 0)
            found = 1;
        if (found < best && found <= 2 && found < (int)strlen(*words)) {
            best = found;
            nearest = *words;
        }
    }
    return nearest;
}

graco_status words_unknown(const char *what, const char *word, const char *const *words)
{
    char list[STATUS_MESSAGE] = "";
    const char *nearest = words_nearest(word, words);
    for (size_t i = 0, used = 0; words[i] && used < sizeof list; i++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", words[i]);
    return status_fail(GRACO_ERROR_ARGUMENT, "%s '%.200s'%s%s%s; expected one of %s", what, word,
                       nearest ? " (did you mean " : "", nearest ? nearest : "",
                       nearest ? "?)" : "", list);
}
