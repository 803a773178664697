/* Fuzzes json_parse; what parses is printed, and must parse again. */
#include "io/json/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct json *value = NULL, *again = NULL;
    struct writer text = {.style = length % 2 ? WRITER_PRETTY : WRITER_DATA};
    if (json_parse(&value, bytes, (int64_t)length) != GRACO_OK)
        return 0;
    json_write(&text, NULL, value);
    if (writer_finish(&text) != GRACO_OK ||
        json_parse(&again, text.text.bytes, text.text.length) != GRACO_OK)
        abort();
    json_free(again);
    json_free(value);
    writer_clear(&text);
    return 0;
}
