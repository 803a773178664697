/* The paper's two theorems, as far as numbers can hold them; docs/math.md has the proofs.
 *
 * Theorem 1: J + log N <= (I_NCE(U, V) + I_NCE(V, U)) / 2, for every Z, on both back ends.
 * Theorem 2: each step of the way to the triplet loss where that step is valid, and that the two
 * approximations are never valid together. */
#include "compute/context.h"

#include "base/memory.h"
#include "check.h"
#include "reference/reference.h"

static double normal(uint32_t trial, int64_t element)
{
    struct random_key key = {.seed = 21, .stream = RANDOM_GENERATE, .step = trial};
    return random_normal(&key, (uint64_t)element);
}

/* 2n unit rows; the second view is `aligned` times the first plus noise, so 0 is independent. */
static float *make_rows(int64_t n, int64_t d, double aligned, uint32_t trial)
{
    float *Z = NULL;
    CHECK_OK(memory_alloc(&Z, 2 * n * d, sizeof(float)));
    for (int64_t i = 0; i < 2 * n; i++) {
        double square = 0;
        for (int64_t k = 0; k < d; k++) {
            double x = normal(trial, i * d + k);
            if (i >= n)
                x += aligned * (double)Z[(i - n) * d + k] * sqrt((double)d);
            Z[i * d + k] = (float)x;
            square += x * x;
        }
        for (int64_t k = 0; k < d; k++)
            Z[i * d + k] = (float)((double)Z[i * d + k] / sqrt(square));
    }
    return Z;
}

static double dot(const float *Z, int64_t d, int64_t i, int64_t j)
{
    double total = 0;
    for (int64_t k = 0; k < d; k++)
        total += (double)Z[i * d + k] * (double)Z[j * d + k];
    return total;
}

static struct contrast contrast(struct context *c, const float *Z, int64_t n, int64_t d, double tau,
                                bool within)
{
    struct contrast s = {.n = n, .d = d, .tau = tau, .within = within, .Z = Z};
    CHECK_OK(memory_alloc(&s.D, 2 * n, sizeof(double)));
    CHECK_OK(c->kernels->contrast(c, &s));
    memory_free(s.D);
    s.D = NULL;
    return s;
}

/* ---- Theorem 1 ------------------------------------------------------------------------------- */

/* The gap of the inequality: the mean of log(1 + rho_r / rho_c) / 2 over both views' rows. */
static double gap(const float *Z, int64_t n, int64_t d, double tau)
{
    double total = 0;
    for (int64_t i = 0; i < 2 * n; i++) {
        double own = 0, other = 0;
        for (int64_t j = 0; j < 2 * n; j++) {
            double e = j == i ? 0 : exp((dot(Z, d, i, j) - 1) / tau);
            *((i < n) == (j < n) ? &own : &other) += e;
        }
        total += log1p(own / other);
    }
    return total / (double)(2 * n);
}

static void check_bound(struct context *c, const float *Z, int64_t n, int64_t d, double tau,
                        double wanted_gap)
{
    const double tolerance = 2e-5;
    struct contrast exact = contrast(c, Z, n, d, tau, true);
    struct contrast infonce = contrast(c, Z, n, d, tau, false);
    double J = -exact.loss, estimate = exact.mutual_information, logn = log((double)n);
    bool holds = J + logn <= estimate + tolerance && estimate <= logn + tolerance &&
                 fabs(estimate - (J + logn) - wanted_gap) <= tolerance * (1 + wanted_gap) &&
                 fabs(infonce.mutual_information - estimate) <= tolerance &&
                 fabs(logn - infonce.loss - estimate) <= tolerance;
    if (!holds)
        fprintf(stderr, "%s, n %d, tau %g: J + log N %g, I_NCE %g, gap %g\n", c->backend->name,
                (int)n, tau, J + logn, estimate, wanted_gap);
    CHECK(holds);
}

static void check_taus(struct context *const c[2], const float *Z, int64_t n, int64_t d)
{
    static const double taus[] = {0.05, 0.2, 0.4, 0.9, 5, 100};
    for (size_t t = 0; t < sizeof taus / sizeof *taus; t++) {
        double wanted = gap(Z, n, d, taus[t]);
        check_bound(c[0], Z, n, d, taus[t], wanted);
        check_bound(c[1], Z, n, d, taus[t], wanted);
    }
}

static void bound(void)
{
    static const int64_t sizes[] = {2, 3, 17, 130, 257};
    static const double aligned[] = {0, 1, 20};
    struct context *c[2] = {NULL};
    CHECK_OK(context_create(&c[0], &backend_reference, 1, 0));
    CHECK_OK(context_create(&c[1], &backend_cpu, 2, 0));
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t a = 0; a < sizeof aligned / sizeof *aligned; a++) {
            float *Z = make_rows(sizes[s], 9, aligned[a], (uint32_t)s);
            check_taus(c, Z, sizes[s], 9);
            memset(Z, 0, 9 * sizeof *Z); /* the same with a row of zeros */
            check_taus(c, Z, sizes[s], 9);
            memset(Z + sizes[s] * 9, 0, 9 * sizeof *Z); /* and with its partner zero too */
            check_taus(c, Z, sizes[s], 9);
            memory_free(Z);
        }
    context_free(c[0]);
    context_free(c[1]);
}

/* Where every row is the same the estimate is 0 and J is -log(2N - 1), whatever tau. */
static void collapsed(void)
{
    struct context *c = NULL;
    float Z[2 * 40 * 2];
    for (int i = 0; i < 2 * 40; i++)
        Z[2 * i] = 0.6f, Z[2 * i + 1] = 0.8f;
    CHECK_OK(context_create(&c, &backend_cpu, 2, 0));
    for (double tau = 0.05; tau < 50; tau *= 3) {
        struct contrast s = contrast(c, Z, 40, 2, tau, true);
        CHECK(fabs(s.mutual_information) < 1e-5);
        CHECK(fabs(s.loss - log(79)) < 1e-5);
    }
    context_free(c);
}

/* The second inequality, I_NCE <= I, is one between expectations: with independent views, whose I
 * is 0, single estimates are above 0 now and then; their mean is not. */
static void expectation(void)
{
    enum { TRIALS = 400 };
    struct context *c = NULL;
    int above = 0;
    double mean = 0;
    CHECK_OK(context_create(&c, &backend_cpu, 1, 0));
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        float *Z = make_rows(8, 4, 0, 1000 + trial);
        double estimate = contrast(c, Z, 8, 4, 0.5, true).mutual_information;
        above += estimate > 0;
        mean += estimate / TRIALS;
        memory_free(Z);
    }
    CHECK(above > 0 && above < TRIALS / 2);
    CHECK(mean < 0);
    context_free(c);
}

/* ---- Theorem 2 ------------------------------------------------------------------------------- */

/* x_k = (u_i . z_k - u_i . v_i) / tau over the m = 2N - 2 negatives z_k of anchor i. */
struct exponents {
    int64_t m;
    double x[64];
    double sum, smallest, largest; /* of exp(x_k); of x_k */
    double triplet;                /* sum of |u_i - v_i|^2 - |u_i - z_k|^2 */
};

static double distance(const float *Z, int64_t d, int64_t i, int64_t j)
{
    double total = 0;
    for (int64_t k = 0; k < d; k++) {
        double difference = (double)Z[i * d + k] - (double)Z[j * d + k];
        total += difference * difference;
    }
    return total;
}

static struct exponents exponents(const float *Z, int64_t n, int64_t d, int64_t i, double tau)
{
    struct exponents e = {.smallest = INFINITY, .largest = -INFINITY};
    int64_t positive = (i + n) % (2 * n);
    for (int64_t j = 0; j < 2 * n; j++) {
        if (j == i || j == positive)
            continue;
        double x = (dot(Z, d, i, j) - dot(Z, d, i, positive)) / tau;
        e.x[e.m++] = x;
        e.sum += exp(x);
        e.smallest = fmin(e.smallest, x);
        e.largest = fmax(e.largest, x);
        e.triplet += distance(Z, d, i, positive) - distance(Z, d, i, j);
    }
    return e;
}

/* -l(u_i, v_i) = log(1 + S) is no approximation; nor is x = (|u - v|^2 - |u - z|^2) / 2 tau on unit
 * rows. */
static void exact_steps(void)
{
    for (double tau = 0.1; tau < 20; tau *= 2) {
        float *Z = make_rows(12, 6, 1, 77);
        for (int64_t i = 0; i < 24; i++) {
            struct exponents e = exponents(Z, 12, 6, i, tau);
            double D = 0, linear = 0;
            for (int64_t j = 0; j < 24; j++)
                D += j == i ? 0 : exp(dot(Z, 6, i, j) / tau);
            for (int64_t k = 0; k < e.m; k++)
                linear += e.x[k];
            CHECK(e.m == 22);
            CHECK(fabs(log(D) - dot(Z, 6, i, (i + 12) % 24) / tau - log1p(e.sum)) < 1e-10);
            CHECK(fabs(linear - e.triplet / (2 * tau)) < 1e-5 * (1 + fabs(linear)));
        }
        memory_free(Z);
    }
    /* The identity needs rows of one length. */
    const float Z[] = {1, 0, 1, 0, 1, 0, 2, 0};
    struct exponents e = exponents(Z, 2, 2, 0, 1);
    CHECK(fabs(e.x[0] + e.x[1] - e.triplet / 2) > 0.4);
}

/* |log(1 + S) - S| <= S^2 / 2: good where S is small, and S is small where positives are close and
 * tau is small against the distance of the negatives. */
static void logarithm(void)
{
    int small = 0;
    for (double tau = 0.02; tau < 20; tau *= 1.6) {
        float *Z = make_rows(12, 24, 20, 78);
        for (int64_t i = 0; i < 24; i++) {
            struct exponents e = exponents(Z, 12, 24, i, tau);
            double error = e.sum - log1p(e.sum);
            CHECK(error >= -1e-15 * e.sum && error <= e.sum * (e.sum / 2 + 1e-15));
            small += e.sum < 0.01;
            if (e.sum < 0.01)
                CHECK(error < 0.01 * log1p(e.sum));
        }
        memory_free(Z);
    }
    CHECK(small > 50);
}

/* |exp(x) - 1 - x| <= x^2 / 2 max(1, exp(x)): good where every |x_k| is small, which is where tau
 * is large. */
static void exponential(void)
{
    int small = 0;
    for (double tau = 0.1; tau < 2000; tau *= 3) {
        float *Z = make_rows(12, 6, 1, 79);
        for (int64_t i = 0; i < 24; i++) {
            struct exponents e = exponents(Z, 12, 6, i, tau);
            double linear = (double)e.m, bound = 0;
            for (int64_t k = 0; k < e.m; k++) {
                linear += e.x[k];
                bound += e.x[k] * e.x[k] / 2 * fmax(1, exp(e.x[k]));
            }
            CHECK(fabs(e.sum - linear) <= bound * (1 + 1e-9) + 1e-12);
            CHECK(fabs(linear - ((double)e.m + e.triplet / (2 * tau))) < 1e-4 * (1 + fabs(linear)));
            double widest = fmax(fabs(e.smallest), fabs(e.largest));
            small += widest < 0.01;
            if (widest < 0.01)
                CHECK(fabs(e.sum - linear) < 1e-4 * linear);
        }
        memory_free(Z);
    }
    CHECK(small > 50);
}

/* Never both: exponents within 1/2 make S at least 1, where S exceeds log(1 + S) by 44 %; and a sum
 * of at most 1/20 makes every exponent at most log(1/20), where 1 + x is wrong by more than 1.9. */
static void never_both(void)
{
    int wide = 0, narrow = 0;
    for (double tau = 0.02; tau < 500; tau *= 1.7) {
        float *Z = make_rows(6, 24, 20, 80);
        for (int64_t i = 0; i < 12; i++) {
            struct exponents e = exponents(Z, 6, 24, i, tau);
            bool exp_valid = e.smallest >= -0.5 && e.largest <= 0.5, log_valid = e.sum <= 0.05;
            CHECK(!(exp_valid && log_valid));
            if (exp_valid)
                CHECK(e.sum >= 1 && e.sum > 1.44 * log1p(e.sum));
            for (int64_t k = 0; log_valid && k < e.m; k++)
                CHECK(e.x[k] <= log(0.05) && exp(e.x[k]) - 1 - e.x[k] > 1.9);
            wide += exp_valid;
            narrow += log_valid;
        }
        memory_free(Z);
    }
    CHECK(wide > 20 && narrow > 20);
}

/* What does hold for small exponents: log(1 + S) = log(1 + m) + triplet / (2 tau (1 + m)), up to
 * half the square of the widest exponent. */
static void corrected(void)
{
    int small = 0;
    for (double tau = 0.3; tau < 1000; tau *= 2) {
        float *Z = make_rows(12, 6, 1, 81);
        for (int64_t i = 0; i < 24; i++) {
            struct exponents e = exponents(Z, 12, 6, i, tau);
            double terms = (double)e.m + 1, widest = fmax(fabs(e.smallest), fabs(e.largest));
            double error = log1p(e.sum) - log(terms) - e.triplet / (2 * tau * terms);
            CHECK(fabs(error) <= widest * widest / 2 + 1e-6);
            small += widest < 0.1;
        }
        memory_free(Z);
    }
    CHECK(small > 50);
}

int main(void)
{
    bound();
    collapsed();
    expectation();
    exact_steps();
    logarithm();
    exponential();
    never_both();
    corrected();
    return check_result();
}
