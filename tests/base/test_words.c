/* Which word was meant, and what is said of one that nobody has; characters of UTF-8. */
#include "base/utf8.h"
#include "base/words.h"
#include "check.h"

static const char *const words[] = {"cora", "citeseer", "cuda", "pubmed", "a", NULL};

static void is_near(const char *word, const char *expected)
{
    const char *found = words_nearest(word, words);
    CHECK(expected ? found && strcmp(found, expected) == 0 : !found);
}

int main(void)
{
    is_near("corra", "cora");
    is_near("CORA", "cora");
    is_near("cite", "citeseer");
    is_near("pubmde", "pubmed");
    is_near("gpu", "cuda");
    is_near("b", NULL); /* all of the word would change */
    is_near("reddit", NULL);
    is_near("", NULL);
    CHECK_FAILS(words_unknown("unknown set", "corra", words), GRACO_ERROR_ARGUMENT,
                "unknown set 'corra' (did you mean cora?); expected one of cora, citeseer, cuda, "
                "pubmed, a");
    CHECK_FAILS(words_unknown("unknown set", "reddit", words), GRACO_ERROR_ARGUMENT,
                "unknown set 'reddit'; expected one of cora,");
    CHECK(utf8_count("a\xC3\xA9\xE2\x82\xAC", 6) == 3 && utf8_count("", 0) == 0);
    return check_result();
}
