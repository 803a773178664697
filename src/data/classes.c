/* Classes by place. Labels are numbers from 0 to DATASET_CLASSES - 1, of which few occur: 0 and 60,000 are two
 * classes. Here alone they get places 0, 1, ... in the order of their numbers, and everything that is indexed by
 * class counts places; a number is what users see. Where every number up to the last occurs, both are the same. */
#include "data/dataset.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

enum { BITS = 64, WORDS = DATASET_CLASSES / BITS };

/* Which numbers occur, and how many of them are in the words before each: of a constant size. */
struct occurring {
    uint64_t word[WORDS];
    int32_t before[WORDS];
    int64_t count;
};

static int32_t count_bits(uint64_t word)
{
    int32_t count = 0;
    for (; word; word &= word - 1)
        count++;
    return count;
}

/* -1 where the number does not occur. */
static int32_t place_of(const struct occurring *all, int32_t number)
{
    if (number < 0 || !(all->word[number / BITS] >> number % BITS & 1))
        return -1;
    uint64_t below = ((uint64_t)1 << number % BITS) - 1;
    return all->before[number / BITS] + count_bits(all->word[number / BITS] & below);
}

/* known (nodes): labels that are 0 there do not count; NULL: all do. */
static void find(struct occurring *all, const int32_t *label, const uint8_t *known, int64_t nodes)
{
    for (int64_t i = 0; i < nodes; i++)
        if (label[i] >= 0 && label[i] < DATASET_CLASSES && (!known || known[i]))
            all->word[label[i] / BITS] |= (uint64_t)1 << label[i] % BITS;
    for (int64_t w = 0; w < WORDS; w++) {
        all->before[w] = (int32_t)all->count;
        all->count += count_bits(all->word[w]);
    }
}

static void list(int32_t *class_of, const struct occurring *all)
{
    for (int32_t number = 0; number < DATASET_CLASSES; number++)
        if (all->word[number / BITS] >> number % BITS & 1)
            *class_of++ = number;
}

graco_status classes_count(int64_t *count, const int32_t *label, int64_t nodes)
{
    struct occurring *all = NULL;
    PASS(memory_zalloc(&all, 1, sizeof *all));
    find(all, label, NULL, nodes);
    *count = all->count;
    memory_free(all);
    return GRACO_OK;
}

graco_status classes_compact(struct graco_dataset *data, int64_t nodes)
{
    struct occurring *all = NULL;
    int32_t *place = NULL;
    graco_status status = GRACO_OK;
    if (!data->label)
        goto done;
    TRY(memory_zalloc(&all, 1, sizeof *all));
    find(all, data->label, data->label_known, nodes);
    data->classes = all->count;
    if (dataset_classes(data->label, nodes) == all->count)
        goto done;
    TRY(memory_alloc(&data->class_of, all->count, sizeof *data->class_of));
    TRY(memory_alloc(&place, nodes, sizeof *place));
    list(data->class_of, all);
    for (int64_t i = 0; i < nodes; i++)
        place[i] = place_of(all, data->label[i]);
    data->given = data->label;
    data->label = place;
done:
    memory_free(all);
    return status;
}

int64_t dataset_classes(const int32_t *label, int64_t count)
{
    int32_t largest = -1;
    for (int64_t i = 0; i < count; i++)
        largest = label[i] > largest ? label[i] : largest;
    return (int64_t)largest + 1;
}

const int32_t *class_numbers(const struct graco_dataset *data)
{
    return data->given ? data->given : data->label;
}

int64_t class_number(const struct graco_dataset *data, int64_t class)
{
    return data->class_of ? data->class_of[class] : class;
}

int64_t class_place(const struct graco_dataset *data, int64_t number)
{
    int64_t low = 0, high = data->classes;
    if (!data->class_of)
        return number >= 0 && number < data->classes ? number : -1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (data->class_of[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < data->classes && data->class_of[low] == number ? low : -1;
}

int64_t class_column(const struct graco_dataset *data, int64_t class, int64_t cols)
{
    return cols == data->classes ? class : class_number(data, class);
}

bool class_columns(const struct graco_dataset *data, int64_t cols)
{
    return cols == data->classes || cols == data->numbers;
}

const char *class_called(char number[CLASS_NUMBER], const struct graco_dataset *data, int64_t class)
{
    snprintf(number, CLASS_NUMBER, "%" PRId64, class_number(data, class));
    return data->class_names ? data->class_names[class_number(data, class)] : number;
}

graco_status classes_check(const struct graco_dataset *data)
{
    int64_t labelled = 0;
    for (int64_t i = 0; data->label && i < dataset_nodes(data); i++)
        labelled += data->label[i] >= 0;
    if (!data->label || data->classes <= CLASSES_FREE ||
        data->classes <= labelled / CLASSES_NODES_PER)
        return GRACO_OK;
    return status_fail(
        GRACO_ERROR_ARGUMENT,
        "data set '%s' has %lld classes of %lld labelled nodes: expected at most %d, or one for "
        "each %d of these nodes; labels are classes, not names or numbers of nodes",
        data->name, (long long)data->classes, (long long)labelled, CLASSES_FREE, CLASSES_NODES_PER);
}
