/* Files of samples: found by key and seed, kept in order, merged, and refused when they are
 * something else. */
#include "base/memory.h"
#include "io/files/file.h"
#include "io/hostile.h"

#include "paper/results_file.h"

static struct results_file *results;

static void add(const char *key, int seed, const char *rest)
{
    char text[512];
    snprintf(text, sizeof text, "{\"key\": \"%s\", \"seed\": %d%s}", key, seed, rest);
    CHECK_OK(results_file_add(results, text));
}

static void test_find(void)
{
    struct results_file_sample sample = {0};
    CHECK_OK(results_file_open(&results, "/nowhere/results.json", false));
    CHECK(results_file_count(results) == 0);
    CHECK(!results_file_find(NULL, results, "b", -1));
    add("b", 1, ", \"settings\": \"w1\", \"quick\": true");
    add("b", 0, ", \"settings\": \"w0\", \"source\": \"look-alike\"");
    add("a", 10, ", \"values\": {\"x\": 2, \"y\": null}");
    add("a b", 0, "");
    CHECK(results_file_count(results) == 4);
    CHECK(results_file_find(&sample, results, "b", 1));
    CHECK(sample.seed == 1 && sample.quick && strcmp(sample.settings, "w1") == 0);
    CHECK(strcmp(sample.source, "data") == 0);
    CHECK(results_file_find(&sample, results, "b", -1));
    CHECK(sample.seed == 0 && !sample.quick && strcmp(sample.source, "look-alike") == 0);
    CHECK(results_file_find(&sample, results, "a", -1) && sample.seed == 10);
    CHECK(!results_file_find(&sample, results, "a", 0));
    CHECK(!results_file_find(&sample, results, "c", -1));
    CHECK(results_file_value(results, "a", 10, "x") == 2);
    CHECK(isnan(results_file_value(results, "a", 10, "y")));
    CHECK(isnan(results_file_value(results, "a", 9, "x")));
    add("b", 1, ", \"settings\": \"new\"");
    CHECK(results_file_count(results) == 4);
    CHECK(results_file_find(&sample, results, "b", 1) && !sample.quick);
    CHECK(strcmp(sample.settings, "new") == 0);
    CHECK_FAILS(results_file_add(results, "{\"key\": \"a\"}"), GRACO_ERROR_FORMAT, "seed");
    CHECK_FAILS(results_file_add(results, "{\"key\": 1, \"seed\": 1}"), GRACO_ERROR_FORMAT, "key");
    CHECK_FAILS(results_file_add(results, "[1"), GRACO_ERROR_FORMAT, "a sample");
    CHECK(results_file_count(results) == 4);
}

static void test_file(const char *folder)
{
    const char *path = hostile_path(folder, "results.json");
    struct results_file *again = NULL, *third = NULL;
    uint8_t *first = NULL, *second = NULL;
    int64_t lengths[2] = {0};
    CHECK_FAILS(results_file_save(results, path, "{\"made\": "), GRACO_ERROR_FORMAT, "");
    CHECK(!file_exists(path));
    CHECK_OK(results_file_save(results, path, "{\"made\": {\"by\": 1}, \"items\": []}"));
    CHECK_OK(results_file_open(&again, path, true));
    CHECK(results_file_count(again) == 4);
    CHECK_FAILS(results_file_open(&third, path, true), GRACO_ERROR_IO, "in use");
    CHECK_OK(results_file_open(&third, path, false));
    CHECK_OK(file_read(&first, &lengths[0], path, 1 << 20));
    CHECK(strstr((char *)first, "\"key\":\"a\"") < strstr((char *)first, "\"key\":\"a b\""));
    CHECK(strstr((char *)first, "\"settings\":\"w0\"") <
          strstr((char *)first, "\"settings\":\"new\""));
    /* What is read back is written as it was, and who made it stays. */
    CHECK_OK(results_file_save(again, path, "{\"items\": []}"));
    CHECK_OK(results_file_save(third, path, "{\"made\": {\"by\": 1}, \"items\": []}"));
    CHECK_OK(file_read(&second, &lengths[1], path, 1 << 20));
    CHECK(lengths[0] == lengths[1] && memcmp(first, second, (size_t)lengths[0]) == 0);
    results_file_free(again);
    results_file_free(third);
    memory_free(first);
    memory_free(second);
}

static void test_merge(void)
{
    struct results_file *ours = NULL, *theirs = results;
    struct results_file_sample sample;
    int64_t taken = 0;
    CHECK_OK(results_file_open(&ours, "/nowhere/results.json", false));
    results = ours;
    add("a", 10, ", \"settings\": \"ours\", \"quick\": true");
    add("b", 0, ", \"settings\": \"ours\"");
    add("z", 0, "");
    CHECK_OK(results_file_merge(ours, &taken, theirs));
    CHECK(taken == 3 && results_file_count(ours) == 5);
    CHECK(results_file_find(&sample, ours, "a", 10) && !sample.quick);
    CHECK(results_file_find(&sample, ours, "b", 0) && strcmp(sample.settings, "ours") == 0);
    CHECK_OK(results_file_merge(ours, &taken, theirs));
    CHECK(taken == 0 && results_file_count(ours) == 5);
    results_file_free(ours);
    results = theirs;
}

/* Whatever is no whole file of samples is refused by name. */
static void test_foreign(const char *folder)
{
    static const char *const texts[] = {
        "",
        "{}",
        "[]",
        "not JSON",
        "{\"format\": 2, \"samples\": []}",
        "{\"format\": 1}",
        "{\"format\": 1, \"samples\": {}}",
        "{\"format\": 1, \"samples\": [1]}",
        "{\"format\": 1, \"samples\": [{\"key\": \"a\"}]}",
        "{\"format\": 1, \"samples\": [{\"key\": \"a\", \"seed\": 1}",
    };
    const char *path = hostile_path(folder, "foreign.json");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct results_file *read = NULL;
        CHECK_OK(file_write_atomic(path, texts[i], (int64_t)strlen(texts[i])));
        CHECK_FAILS(results_file_open(&read, path, true), GRACO_ERROR_FORMAT, "foreign.json");
        CHECK(!read && hostile_files(folder) == 2); /* no lock is left */
    }
}

int main(void)
{
    char *folder = hostile_folder();
    test_find();
    test_file(folder);
    test_merge();
    test_foreign(folder);
    results_file_free(results);
    hostile_remove(folder);
    return check_result();
}
