/* Fuzzes results.json; what is read is written as a page, in which nothing may have become a script. */
#include "fuzz/fuzz.h"

#include "paper/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct results *results = NULL;
    struct report_about about = {0};
    struct text html = {0}, markdown = {0};
    graco_status status = results_parse(&results, bytes, (int64_t)length);
    FUZZ_PROMISE((status == GRACO_OK) == (results != NULL));
    if (status == GRACO_OK) {
        FUZZ_PROMISE(report_write(&html, &markdown, results, NULL, &about) == GRACO_OK);
        FUZZ_PROMISE(!strstr(text_words(&html), "<script") && strstr(text_words(&html), "</html>"));
    } else {
        FUZZ_PROMISE(graco_message()[0] && !strchr(graco_message(), '\n'));
    }
    text_clear(&html);
    text_clear(&markdown);
    results_free(results);
    return 0;
}
