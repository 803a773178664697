/* A word that is none of a list, and which of them it may have been meant for. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "base/status.h"

/* The word of `words` (ending with NULL) that is most like `word`; NULL if none is close. */
const char *words_nearest(const char *word, const char *const *words);

/* Fails with "WHAT 'WORD' (did you mean NEAREST?); expected one of a, b, c": GRACO_ERROR_ARGUMENT. */
graco_status words_unknown(const char *what, const char *word, const char *const *words);

#endif
