/* Link prediction: the pairs of the test part are put in the order of a score, and good embeddings put those
 * with a link first. Two scores need no training; the third is a regression on the products of the two
 * rows, number by number, fitted to the training part with the C that ranks the validation part best. */
#include "base/memory.h"
#include "base/threads.h"
#include "data/links.h"
#include "eval/probe.h"
#include "eval/protocol.h"
#include "eval/ranking.h"

#include <math.h>

enum { GRID = 11, PAIRS_PER_PIECE = 256 };

enum link_score { SCORE_DOT, SCORE_COSINE, SCORE_HADAMARD };

/* The pairs of one part. */
struct link_part {
    int64_t count;
    const int32_t **pair; /* (count) rows of the links */
    uint8_t *linked;      /* (count) */
    double *score;        /* (count) */
};

struct link_scoring {
    const graco_matrix *Z;
    const struct link_part *part;
    enum link_score kind;
    const struct probe *probe; /* of SCORE_HADAMARD, and which C of it */
    int64_t choice;
};

const char *graco_link_score(int index)
{
    static const char *const names[GRACO_LINK_SCORES] = {"dot", "cosine", "hadamard"};
    return names[index];
}

static graco_status list_pairs(struct link_part *out, const graco_links *links,
                               enum links_part part)
{
    PASS(memory_alloc(&out->pair, links->count, sizeof *out->pair));
    PASS(memory_alloc(&out->linked, links->count, sizeof *out->linked));
    PASS(memory_alloc(&out->score, links->count, sizeof *out->score));
    for (int64_t i = 0; i < links->count; i++) {
        const int32_t *row = links->pair + LINKS_FIELDS * i;
        if (row[LINKS_PART] != (int32_t)part)
            continue;
        out->linked[out->count] = (uint8_t)row[LINKS_LINKED];
        out->pair[out->count++] = row;
    }
    return GRACO_OK;
}

static void clear_pairs(struct link_part *part)
{
    memory_free(part->score);
    memory_free(part->linked);
    memory_free(part->pair);
}

/* ---- Scores ----------------------------------------------------------------------------------- */

static double plain_score(const float *a, const float *b, int64_t dim, enum link_score kind)
{
    double ab = 0, aa = 0, bb = 0;
    for (int64_t j = 0; j < dim; j++) {
        ab += (double)a[j] * (double)b[j];
        aa += (double)a[j] * (double)a[j];
        bb += (double)b[j] * (double)b[j];
    }
    if (kind == SCORE_DOT)
        return ab;
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static double hadamard_score(const float *a, const float *b, int64_t dim, const struct probe *probe,
                             int64_t choice)
{
    const double *w = probe->W + choice * (dim + 1);
    double sum = w[dim];
    for (int64_t j = 0; j < dim; j++)
        sum += w[j] * ((double)(a[j] * b[j]) - probe->shift[j]) * probe->scale[j];
    return sum;
}

static void score_pairs(void *job, struct threads_piece pairs)
{
    const struct link_scoring *s = job;
    int64_t dim = s->Z->cols;
    for (int64_t i = pairs.first; i < pairs.last; i++) {
        const int32_t *pair = s->part->pair[i];
        const float *a = s->Z->data + pair[LINKS_SOURCE] * dim;
        const float *b = s->Z->data + pair[LINKS_TARGET] * dim;
        s->part->score[i] = s->kind == SCORE_HADAMARD
                                ? hadamard_score(a, b, dim, s->probe, s->choice)
                                : plain_score(a, b, dim, s->kind);
    }
}

static graco_status rank(struct ranking *out, const struct link_scoring *s, int threads)
{
    threads_run(threads, s->part->count, PAIRS_PER_PIECE, score_pairs, (void *)s);
    for (int64_t i = 0; i < s->part->count; i++)
        if (!isfinite(s->part->score[i]))
            return status_fail(
                GRACO_ERROR_NUMBER,
                "the score of nodes %d and %d is not finite: expected embeddings whose "
                "products fit float32",
                s->part->pair[i][LINKS_SOURCE], s->part->pair[i][LINKS_TARGET]);
    return ranking_measure(out, s->part->score, s->part->linked, s->part->count);
}

/* ---- The regression --------------------------------------------------------------------------- */

/* H (count, dim): the products of the rows of each pair. */
static graco_status multiply_rows(float **out, int32_t **node, const graco_matrix *Z,
                                  const struct link_part *part)
{
    PASS(memory_alloc(out, part->count * Z->cols, sizeof **out));
    PASS(memory_alloc(node, part->count, sizeof **node));
    for (int64_t i = 0; i < part->count; i++) {
        const float *a = Z->data + part->pair[i][LINKS_SOURCE] * Z->cols;
        const float *b = Z->data + part->pair[i][LINKS_TARGET] * Z->cols;
        for (int64_t j = 0; j < Z->cols; j++)
            (*out)[i * Z->cols + j] = a[j] * b[j];
        (*node)[i] = (int32_t)i;
    }
    return GRACO_OK;
}

/* Regressions for all values of C on columns that are standardised, as for data with several labels. */
static graco_status fit(struct probe *out, const graco_matrix *Z, const struct link_part *part,
                        const double C[GRID], int threads)
{
    graco_status status = GRACO_OK;
    struct blas blas = {0};
    struct context *context = NULL;
    float *H = NULL;
    int32_t *node = NULL;
    TRY(multiply_rows(&H, &node, Z, part));
    TRY(blas_open(&blas, threads));
    TRY(context_create(&context, &backend_cpu, threads, 0));
    const struct probe_input input = {.blas = &blas,
                                      .context = context,
                                      .Z = H,
                                      .nodes = part->count,
                                      .dim = Z->cols,
                                      .classes = 1,
                                      .multi = part->linked,
                                      .threads = threads};
    TRY(probe_fit(out, &input, (struct node_list){node, part->count}, C, GRID));
done:
    context_free(context);
    memory_free(node);
    memory_free(H);
    return status;
}

/* The C that ranks the validation part best, the smallest among equals; 1 where there is no such part. */
static graco_status choose(int64_t *choice, struct link_scoring s,
                           const struct link_part *validation, int threads)
{
    struct ranking ranking;
    double best = -1;
    *choice = GRID / 2;
    s.part = validation;
    for (s.choice = 0; validation->count > 0 && s.choice < GRID; s.choice++) {
        PASS(rank(&ranking, &s, threads));
        if (!(ranking.auc > best))
            continue;
        best = ranking.auc;
        *choice = s.choice;
    }
    return GRACO_OK;
}

/* ---- The evaluation --------------------------------------------------------------------------- */

static graco_status check_parts(const struct link_part parts[LINKS_PARTS])
{
    for (int p = LINKS_TRAIN; p <= LINKS_TEST; p++) {
        int64_t links = 0, count = parts[p].count;
        for (int64_t i = 0; i < count; i++)
            links += parts[p].linked[i];
        if ((links > 0 && links < count) || (p == LINKS_VALIDATION && count == 0))
            continue;
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "part %d of the links has %lld with a link and %lld without: expected some "
            "of both",
            p, (long long)links, (long long)(count - links));
    }
    return GRACO_OK;
}

static graco_status measure(graco_link_result *made, const graco_matrix *Z,
                            const struct link_part parts[LINKS_PARTS], int threads)
{
    graco_status status = GRACO_OK;
    struct probe probe = {0};
    double C[GRID];
    struct link_scoring s = {.Z = Z, .part = &parts[LINKS_TEST], .probe = &probe};
    for (int i = 0; i < GRID; i++)
        C[i] = ldexp(1, 2 * (i - GRID / 2));
    TRY(fit(&probe, Z, &parts[LINKS_TRAIN], C, threads));
    s.kind = SCORE_HADAMARD;
    int64_t choice = 0;
    TRY(choose(&choice, s, &parts[LINKS_VALIDATION], threads));
    s.choice = choice;
    made->C = C[choice];
    made->converged = probe.report.unconverged == 0;
    for (int i = 0; i < GRACO_LINK_SCORES; i++) {
        struct ranking ranking;
        s.kind = (enum link_score)i;
        TRY(rank(&ranking, &s, threads));
        made->score[i].name = graco_link_score(i);
        made->score[i].auc = ranking.auc;
        made->score[i].average_precision = ranking.average_precision;
    }
done:
    probe_clear(&probe);
    return status;
}

graco_status graco_evaluate_links(graco_link_result *result, const graco_matrix *Z,
                                  const graco_dataset *data, const graco_links *links,
                                  int64_t threads)
{
    graco_status status = GRACO_OK;
    graco_link_result made = {0};
    struct link_part parts[LINKS_PARTS] = {0};
    double start = threads_seconds();
    TRY(protocol_check_rows(Z, data));
    TRY(links_check(links, data));
    for (int p = LINKS_TRAIN; p <= LINKS_TEST; p++)
        TRY(list_pairs(&parts[p], links, (enum links_part)p));
    TRY(check_parts(parts));
    for (int64_t i = 0; i < parts[LINKS_TEST].count; i++)
        made.links += parts[LINKS_TEST].linked[i];
    made.others = parts[LINKS_TEST].count - made.links;
    TRY(measure(&made, Z, parts, threads_count(threads)));
    made.seconds = threads_seconds() - start;
    *result = made;
done:
    for (int p = LINKS_TRAIN; p <= LINKS_TEST; p++)
        clear_pairs(&parts[p]);
    return status;
}
