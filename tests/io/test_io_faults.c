/* Every decoder and writer of io/ with its 1st, 2nd, 3rd ... allocation failing. */
#include "base/memory.h"
#include "io/files/file.h"
#include "io/json/json.h"
#include "io/npy.h"
#include "io/zip/npz.h"
#include "io/pickle/pickle.h"
#include "io/safetensors.h"
#include "io/tables/table.h"

#include "faults.h"
#include "arrow_made.h"
#include "hostile.h"
#include "pickles.h"

static const char *folder;
static const char *path;
static struct array sample;

static graco_status run_npy(void)
{
    struct array array;
    graco_status status = npy_write(path, &sample);
    if (status == GRACO_OK)
        status = npy_read(&array, path);
    if (status == GRACO_OK)
        array_clear(&array);
    return status;
}

static graco_status run_npz(void)
{
    const struct npz_entry entries[] = {{"a", &sample}, {"b", &sample}};
    struct npz *npz = NULL;
    struct array array = {0};
    graco_status status = npz_write(path, entries, 2);
    if (status == GRACO_OK)
        status = npz_open(&npz, path);
    if (status == GRACO_OK)
        status = npz_read(&array, npz, "b", NPZ_LIMIT);
    array_clear(&array);
    npz_close(npz);
    return status;
}

static graco_status run_pickle(void)
{
    struct pickle pickle;
    graco_status status = pickle_decode(&pickle, pickles_2, sizeof pickles_2);
    if (status == GRACO_OK) {
        pickle_clear(&pickle);
        status = pickle_decode(&pickle, pickles_0, sizeof pickles_0);
    }
    pickle_clear(&pickle);
    return status;
}

static graco_status run_safetensors(void)
{
    const struct safetensors_entry entry = {"w", &sample};
    const struct safetensors_pair pair = {"k", "v"};
    struct safetensors *file = NULL;
    graco_status status = safetensors_write(path, &entry, 1, &pair, 1);
    if (status == GRACO_OK)
        status = safetensors_read(&file, path);
    safetensors_free(file);
    return status;
}

static graco_status run_json(void)
{
    struct json *value = NULL, *again = NULL;
    static const char text[] = "{\"a\":[1,2,{\"b\":\"c\"}]}";
    graco_status status = json_parse(&value, text, sizeof text - 1);
    struct writer json = {.style = WRITER_PRETTY};
    if (status == GRACO_OK) {
        json_write(&json, NULL, value);
        status = file_write_text(path, &json.text);
    }
    if (status == GRACO_OK)
        status = json_parse_file(&again, path, 1000);
    writer_clear(&json);
    json_free(value);
    json_free(again);
    return status;
}

static graco_status run_tables(void)
{
    static const char edges_text[] = "a b\nc \"\"\"d\"\na c\n",
                      numbers_text[] = "h,x\na,1\nb,2\nc,3\n",
                      shuffled[] = ".5 1\n1 0\n2 2\n3 3\n4 4\n5 5\n6 6\n7 7\n";
    static const char labels_text[] = "n1 red\nn2 blue\nn3 red\n";
    struct table_edges edges = {0};
    struct table_numbers numbers = {0};
    struct table_labels labels = {0};
    char **list = NULL;
    graco_status status = table_edges_read(&edges, "e", edges_text, sizeof edges_text - 1, NULL);
    if (status == GRACO_OK)
        status = names_list(&list, edges.names);
    if (list)
        memory_free(list[0]);
    memory_free(list);
    if (status == GRACO_OK)
        status = table_numbers_read(&numbers, "n", numbers_text, sizeof numbers_text - 1,
                                    TABLE_IDS_AUTO, NULL);
    table_numbers_clear(&numbers);
    if (status == GRACO_OK)
        status =
            table_numbers_read(&numbers, "s", shuffled, sizeof shuffled - 1, TABLE_IDS_AUTO, NULL);
    if (status == GRACO_OK)
        status = table_labels_read(&labels, "l", labels_text, sizeof labels_text - 1, NULL);
    table_edges_clear(&edges);
    table_numbers_clear(&numbers);
    table_labels_clear(&labels);
    return status;
}

static graco_status run_names(void)
{
    struct names *names = NULL;
    char text[16];
    int32_t number;
    graco_status status = names_create(&names);
    for (int i = 0; status == GRACO_OK && i < 500; i++)
        status = names_add(&number, names, text, snprintf(text, sizeof text, "%d", i));
    names_free(names);
    return status;
}

static graco_status run_strings(void)
{
    char *const words[] = {(char[]){"a"}, (char[]){"bcd"}};
    struct array array = {0};
    char **list = NULL, *one = NULL;
    float *f32 = NULL;
    int32_t *i32 = NULL;
    graco_status status = array_from_strings(&array, words, 2);
    if (status == GRACO_OK)
        status = array_to_strings(&list, &array);
    if (status == GRACO_OK)
        status = array_string(&one, &array, 1);
    if (status == GRACO_OK)
        status = array_to_f32(&f32, &sample);
    if (status == GRACO_OK)
        status = array_to_i32(&i32, &sample);
    if (list)
        memory_free(list[0]);
    memory_free(list);
    memory_free(one);
    memory_free(f32);
    memory_free(i32);
    array_clear(&array);
    return status;
}

static graco_status run_folder(void)
{
    struct file_list list = {0};
    graco_status status = file_list_folder(&list, folder);
    file_list_clear(&list);
    return status;
}

/* A column of words in two chunks, and one of numbers. */
static graco_status run_arrow(void)
{
    static const int32_t ends[] = {0, 1, 2, 3}, numbers[] = {7, 8, 9};
    static const void *texts[] = {NULL, ends, "abc"}, *items[] = {NULL, numbers};
    struct ArrowSchema fields[] = {{.format = "u"}, {.format = "i"}},
                       *children[] = {&fields[0], &fields[1]};
    struct ArrowArray arrays[] = {{.length = 3, .n_buffers = 3, .buffers = texts},
                                  {.length = 3, .n_buffers = 2, .buffers = items}};
    struct ArrowArray *parts[] = {&arrays[0], &arrays[1]};
    struct ArrowArray chunk = {.length = 3, .n_children = 2, .children = parts},
                      chunks[] = {chunk, chunk};
    struct made_stream made = {.schema = {.format = "+s", .n_children = 2, .children = children},
                               .chunks = chunks,
                               .count = 2};
    graco_frame *frame = NULL;
    graco_array array;
    int32_t codes[6], *const into[] = {codes};
    graco_status status = graco_frame_read(&frame, made_begin(&made));
    if (status == GRACO_OK)
        status = graco_frame_words(&array, into, frame, (const int64_t[]){0}, 1);
    if (status == GRACO_OK)
        status = graco_frame_numbers(&array, frame, 1);
    graco_frame_free(frame);
    CHECK(made.open == 0);
    return status;
}

int main(void)
{
    static graco_status (*const runs[])(void) = {
        run_npy,    run_npz,   run_pickle,  run_safetensors, run_json,
        run_tables, run_names, run_strings, run_folder,      run_arrow};
    static const float items[] = {1, 2, 3};
    const int64_t three = 3;
    CHECK_OK(array_borrow(&sample, ARRAY_F32, items, 1, &three));
    folder = fixture_folder();
    path = hostile_path(folder, "file");
    CHECK_OK(file_write_atomic(path, "", 0));
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        graco_status status = GRACO_ERROR_MEMORY;
        long n = 0;
        for (; status == GRACO_ERROR_MEMORY && n < 10000; n++) {
            faults_hit = 0;
            faults_until = n;
            status = runs[r]();
            faults_until = -1;
            CHECK(status == (faults_hit > 0 ? GRACO_ERROR_MEMORY : GRACO_OK));
            CHECK(hostile_files(folder) == 1); /* no temporary file is left */
        }
        CHECK(status == GRACO_OK && n > 1);
    }
    return check_result();
}
