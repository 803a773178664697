/* Columns in memory, and the texts of their cells. */
#include "io/tables/columns.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

graco_status columns_create(struct columns **out, int64_t rows, int64_t count)
{
    graco_status status = GRACO_OK;
    struct columns *made = NULL;
    TRY(memory_zalloc(&made, 1, sizeof *made));
    TRY(memory_zalloc(&made->list, count, sizeof *made->list));
    made->rows = rows;
    made->count = count;
    *out = made;
    made = NULL;
done:
    columns_free(made);
    return status;
}

void columns_free(struct columns *columns)
{
    if (!columns)
        return;
    for (int64_t c = 0; columns->list && c < columns->count; c++) {
        memory_free(columns->list[c].name);
        memory_free(columns->list[c].owned);
        memory_free(columns->list[c].code);
        names_free(columns->list[c].words);
    }
    if (!columns->borrowed)
        memory_free(columns->matrix);
    memory_free(columns->list);
    memory_free(columns);
}

graco_status columns_of_matrix(struct columns **out, float *matrix, bool borrowed, int64_t rows,
                               int64_t count, const char *const *names)
{
    graco_status status = GRACO_OK;
    struct columns *made = NULL;
    char number[24];
    TRY(columns_create(&made, rows, count));
    for (int64_t c = 0; c < count; c++) {
        snprintf(number, sizeof number, "%" PRId64, c + 1);
        TRY(memory_string(&made->list[c].name, names ? names[c] : number));
        utf8_mend(made->list[c].name);
        made->list[c].number = matrix + c;
        made->list[c].stride = count;
    }
    made->matrix = matrix;
    made->borrowed = borrowed;
    made->unnamed = !names;
    *out = made;
    made = NULL;
done:
    columns_free(made);
    return status;
}

graco_status columns_order(struct columns *columns, const int32_t *to)
{
    int64_t rows = columns->rows;
    for (int64_t c = 0; c < columns->count; c++) {
        struct column *column = &columns->list[c];
        float *number = NULL;
        int32_t *code = NULL;
        if (column->code)
            PASS(memory_alloc(&code, rows, sizeof *code));
        else
            PASS(memory_alloc(&number, rows, sizeof *number));
        for (int64_t r = 0; r < rows; r++) {
            if (code)
                code[to[r]] = column->code[r];
            else
                number[to[r]] = column->number[r * column->stride];
        }
        memory_free(column->owned);
        memory_free(column->code);
        column->number = column->owned = number;
        column->code = code;
        column->stride = 1;
    }
    if (!columns->borrowed)
        memory_free(columns->matrix);
    columns->matrix = NULL;
    return GRACO_OK;
}

bool column_is_gap(struct scan_field field)
{
    static const char *const words[] = {"na",  "n/a", "#n/a", "<na>", "nan", "null",    "none",
                                        "nil", "-",   "--",   "?",    ".",   "missing", NULL};
    return field.length == 0 || scan_listed(field, words);
}
