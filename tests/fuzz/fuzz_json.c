/* Fuzzes json_parse; what parses is printed, and must parse again. */
#include "base/memory.h"
#include "io/json/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct json *value = NULL, *again = NULL;
    char *text = NULL;
    if (json_parse(&value, bytes, (int64_t)length) != GRACO_OK)
        return 0;
    if (json_text(&text, value, length % 2) != GRACO_OK ||
        json_parse(&again, text, (int64_t)strlen(text)) != GRACO_OK)
        abort();
    json_free(again);
    json_free(value);
    memory_free(text);
    return 0;
}
