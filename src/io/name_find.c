/* The texts go into a table, and each row's name is looked up there once, so that names may be read
 * from a file one at a time. */
#include "io/name_find.h"

#include "base/memory.h"
#include "io/tables/names.h"
#include "io/tables/scan.h"

#include <string.h>

static graco_status find_number(int64_t *found, const char *text, int64_t rows)
{
    const struct scan_field field = {.text = text, .length = (int64_t)strlen(text)};
    if (scan_integer(found, field, 0, rows - 1))
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "no node '%.100s': nodes have no names here; expected a number from 0 to "
                       "%lld",
                       text, (long long)rows - 1);
}

/* Fills row (names_count(texts)) with the row of each name; -1: there is none. */
static graco_status look_up(int64_t *row, const struct names *texts, const struct name_rows *rows)
{
    for (int64_t i = 0; i < names_count(texts); i++)
        row[i] = -1;
    for (int64_t r = 0; r < rows->count; r++) {
        const char *name = NULL;
        PASS(rows->name_at(&name, rows->user, r));
        int32_t text = names_find(texts, name, (int64_t)strlen(name));
        if (text >= 0 && row[text] >= 0)
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "the nodes %lld and %lld are both called '%.100s'; expected a name "
                               "that one node has",
                               (long long)row[text], (long long)r, name);
        if (text >= 0)
            row[text] = r;
    }
    return GRACO_OK;
}

static graco_status find_names(int64_t *found, const char *const *texts, int64_t count,
                               const struct name_rows *rows)
{
    graco_status status = GRACO_OK;
    struct names *table = NULL;
    int32_t *place = NULL; /* (count) of each text in the table */
    int64_t *row = NULL;
    TRY(names_create(&table));
    TRY(memory_alloc(&place, count, sizeof *place));
    TRY(memory_alloc(&row, count, sizeof *row));
    for (int64_t i = 0; i < count; i++)
        TRY(names_add(&place[i], table, texts[i], (int64_t)strlen(texts[i])));
    TRY(look_up(row, table, rows));
    for (int64_t i = 0; i < count; i++) {
        if (row[place[i]] < 0)
            FAIL(GRACO_ERROR_ARGUMENT,
                 "no node is called '%.100s': nodes have names here; expected one of them",
                 texts[i]);
        found[i] = row[place[i]];
    }
done:
    names_free(table);
    memory_free(place);
    memory_free(row);
    return status;
}

graco_status name_find(int64_t *found, const char *const *texts, int64_t count,
                       const struct name_rows *rows)
{
    if (rows->name_at)
        return find_names(found, texts, count, rows);
    for (int64_t i = 0; i < count; i++)
        PASS(find_number(&found[i], texts[i], rows->count));
    return GRACO_OK;
}
