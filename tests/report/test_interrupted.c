/* Long work that its caller stops: whenever it is, it says GRACO_STOPPED, leaves nothing, and the same work done again
 * comes to the same numbers. The caller sleeps for longer than graco waits between two questions, so that it is
 * asked at every place where it can be. */
#include "fixture.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

#include <time.h>

enum { NODES = 1400, COLS = 24, CLASSES = 5 };
static const int64_t ENDLESS = (int64_t)1 << 40; /* pieces */

struct caller {
    int64_t left, asked; /* questions answered yes */
};

static bool answer(void *user, double share)
{
    struct caller *caller = user;
    nanosleep(&(struct timespec){.tv_nsec = 101000000}, NULL);
    caller->asked++;
    return isnan(share) && caller->left-- > 0;
}

/* ---- Loops ------------------------------------------------------------------------------------- */

struct counted {
    atomic_llong done, inner;
};

static void count_item(void *job, struct threads_piece piece)
{
    struct counted *counted = job;
    counted->inner += piece.last - piece.first;
}

static void count_pieces(void *job, struct threads_piece piece)
{
    struct counted *counted = job;
    counted->done += piece.last - piece.first;
    threads_run(2, 3, 1, count_item, job);
}

static void loops(void)
{
    for (int threads = 1; threads <= 3; threads++) {
        struct caller caller = {.left = 2};
        struct counted all = {0}, some = {0}, none = {0}, after = {0};
        struct threads_watch watch, nothing;
        threads_watch(&nothing, NULL, NULL);
        threads_run(threads, 50, 1, count_pieces, &all);
        CHECK(all.done == 50 && all.inner == 150);
        CHECK_OK(threads_look());
        threads_unwatch(&nothing);
        threads_watch(&watch, answer, &caller);
        threads_run(threads, ENDLESS, 1, count_pieces, &some);
        CHECK(some.done < ENDLESS && caller.asked == 3);
        threads_run(threads, 50, 1, count_pieces, &none);
        CHECK(none.done == 0 && caller.asked == 3);
        CHECK_FAILS(threads_look(), GRACO_STOPPED, "stopped");
        threads_unwatch(&watch);
        threads_run(threads, 50, 1, count_pieces, &after);
        CHECK(after.done == 50 && threads_go_on());
    }
}

/* ---- The public functions ------------------------------------------------------------------------ */

static graco_matrix Z;
static graco_dataset *data;

typedef graco_status work_fn(uint64_t *sum, graco_share_fn *ask, void *user);

static void add_sum(uint64_t *sum, const void *bytes, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        *sum = (*sum ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
}

static graco_status cluster(uint64_t *sum, graco_share_fn *ask, void *user)
{
    graco_cluster_options options = graco_cluster_defaults();
    graco_cluster_result found = {0};
    options.starts = 2;
    options.threads = 2;
    options.on_progress = ask;
    options.user = user;
    graco_status status = graco_evaluate_clusters(&found, &Z, data, &options);
    CHECK(status == GRACO_OK || !found.cluster);
    if (found.cluster)
        add_sum(sum, found.cluster, found.nodes * 4);
    add_sum(sum, &found.silhouette, sizeof found.silhouette);
    graco_cluster_result_clear(&found);
    return status;
}

static graco_status find_neighbours(uint64_t *sum, graco_share_fn *ask, void *user)
{
    graco_neighbours_options options = graco_neighbours_defaults();
    graco_neighbours found = {0};
    options.device = "cpu";
    options.threads = 2;
    options.on_progress = ask;
    options.user = user;
    graco_status status = graco_neighbours_find(&found, &Z, &options);
    CHECK(status == GRACO_OK || !found.index);
    if (found.index)
        add_sum(sum, found.index, found.count * found.k * 8);
    graco_neighbours_clear(&found);
    return status;
}

static graco_status draw_map(uint64_t *sum, graco_share_fn *ask, void *user)
{
    graco_map_options options = graco_map_defaults();
    graco_map *map = NULL;
    options.data = data;
    options.device = "cpu";
    options.threads = 2;
    options.epochs = 20;
    options.on_progress = ask;
    options.user = user;
    graco_status status = graco_map_make(&map, &Z, &options);
    CHECK((status == GRACO_OK) == (map != NULL));
    if (map) {
        size_t length = 0;
        CHECK_OK(graco_map_save(map, fixture_path("map.npy")));
        char *bytes = fixture_read(fixture_path("map.npy"), &length);
        add_sum(sum, bytes, (int64_t)length);
        free(bytes);
    }
    graco_map_free(map);
    return status;
}

static graco_status predict(uint64_t *sum, graco_share_fn *ask, void *user)
{
    const graco_predict_options options = {
        .all = true, .threads = 2, .device = "cpu", .on_progress = ask, .user = user};
    graco_prediction found = {0};
    graco_status status = graco_predict_embeddings(&found, &Z, data, &options);
    CHECK(status == GRACO_OK || (!found.probability && !found.class_of && !found.node));
    if (found.probability)
        add_sum(sum, found.probability, found.count * found.classes * 4);
    graco_prediction_clear(&found);
    return status;
}

static void stops_anywhere(work_fn *work)
{
    static const int64_t yes[] = {0, 1, 3, 6};
    uint64_t whole = 0, again = 0;
    int stopped = 0;
    CHECK_OK(work(&whole, NULL, NULL));
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        struct caller caller = {.left = yes[i]};
        uint64_t sum = 0;
        graco_status status = work(&sum, answer, &caller);
        CHECK(status == GRACO_OK ? sum == whole : status == GRACO_STOPPED);
        CHECK(status == GRACO_OK || caller.asked == yes[i] + 1);
        stopped += status == GRACO_STOPPED;
    }
    CHECK(stopped > 2);
    CHECK_OK(work(&again, NULL, NULL));
    CHECK(again == whole);
}

int main(void)
{
    struct random_key key = {.seed = 4, .stream = RANDOM_GENERATE};
    data = fixture_data(.nodes = NODES, .classes = CLASSES, .feature_count = -1);
    Z = (graco_matrix){.rows = NODES, .cols = COLS};
    CHECK_OK(memory_alloc(&Z.data, NODES * COLS, sizeof *Z.data));
    for (int64_t i = 0; i < NODES * COLS; i++)
        Z.data[i] = (float)random_normal(&key, (uint64_t)i);
    loops();
    stops_anywhere(cluster);
    stops_anywhere(find_neighbours);
    stops_anywhere(draw_map);
    stops_anywhere(predict);
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
    return check_result();
}
