/* Principal components by power iteration: v <- X'X v for two vectors at a time, orthogonal to
 * each other, X the rows less their mean. A picture needs three digits, so a fixed number of
 * turns will do. */
#include "graco_more.h"
#include "measures.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { TURNS = 100, AXES = 2 };

/* Rows of some nodes less their mean. */
struct cloud {
    int64_t rows, cols;
    double *X; /* (rows, cols) */
};

static int64_t node_of(int64_t point, int64_t points, int64_t nodes)
{
    return point * nodes / points;
}

static graco_status fill_cloud(struct cloud *cloud, const graco_matrix *Z)
{
    int64_t rows = Z->rows < POINTS_MAX ? Z->rows : POINTS_MAX, cols = Z->cols;
    *cloud = (struct cloud){rows, cols, NULL};
    PASS(memory_alloc(&cloud->X, rows * cols, sizeof *cloud->X));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < cols; k++)
            cloud->X[i * cols + k] = (double)Z->data[node_of(i, rows, Z->rows) * cols + k];
    for (int64_t k = 0; k < cols; k++) {
        double mean = 0;
        for (int64_t i = 0; i < rows; i++)
            mean += cloud->X[i * cols + k] / (double)rows;
        for (int64_t i = 0; i < rows; i++)
            cloud->X[i * cols + k] -= mean;
    }
    return GRACO_OK;
}

static double product(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

/* v <- v less its part along `before` (unless NULL), of length one, largest entry positive. */
static void straighten(double *v, const double *before, int64_t cols)
{
    double along = before ? product(v, before, cols) : 0, most = 0;
    for (int64_t k = 0; k < cols; k++)
        v[k] -= before ? along * before[k] : 0;
    for (int64_t k = 0; k < cols; k++)
        most = fabs(v[k]) > fabs(most) ? v[k] : most;
    double length = sqrt(product(v, v, cols)) * (most < 0 ? -1 : 1);
    for (int64_t k = 0; k < cols && fabs(length) > 0; k++)
        v[k] /= length;
}

/* axis (AXES, cols): the leading components; `next` has room for one. */
static void find_axes(double *axis, double *next, const struct cloud *cloud)
{
    int64_t cols = cloud->cols;
    for (int64_t k = 0; k < AXES * cols; k++)
        axis[k] = 1 + (double)(k * 7919 % 101) / 101; /* any start with a part along every axis */
    for (int turn = 0; turn < TURNS; turn++)
        for (int a = 0; a < AXES; a++) {
            double *v = axis + a * cols;
            memset(next, 0, (size_t)cols * sizeof *next);
            for (int64_t i = 0; i < cloud->rows; i++) {
                const double *row = cloud->X + i * cols;
                double along = product(row, v, cols);
                for (int64_t k = 0; k < cols; k++)
                    next[k] += along * row[k];
            }
            memcpy(v, next, (size_t)cols * sizeof *v);
            straighten(v, a > 0 ? axis : NULL, cols);
        }
}

/* The rows' coordinates along an axis, into *out. Returns the largest, by its absolute value. */
static double project(double *out, const struct cloud *cloud, const double *axis)
{
    double largest = 0;
    for (int64_t i = 0; i < cloud->rows; i++) {
        out[i] = product(cloud->X + i * cloud->cols, axis, cloud->cols);
        largest = fmax(largest, fabs(out[i]));
    }
    return largest;
}

graco_status points_find(struct sample *out, const graco_matrix *Z, const graco_dataset *data)
{
    struct cloud cloud = {0};
    double *axis = NULL;
    struct list *lists[] = {&out->x, &out->y, &out->class_of};
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&axis, (AXES + 1) * Z->cols, sizeof *axis));
    TRY(fill_cloud(&cloud, Z));
    for (int i = 0; i < 3; i++) {
        TRY(memory_alloc(&lists[i]->at, cloud.rows, sizeof *lists[i]->at));
        lists[i]->count = cloud.rows;
    }
    find_axes(axis, axis + AXES * Z->cols, &cloud);
    double x = project(out->x.at, &cloud, axis), y = project(out->y.at, &cloud, axis + Z->cols);
    for (int64_t i = 0; i < cloud.rows; i++) {
        double *at[] = {&out->x.at[i], &out->y.at[i]}, largest = fmax(x, y);
        for (int a = 0; a < AXES; a++)
            *at[a] = largest > 0 ? round(*at[a] / largest * 1e4) / 1e4 : 0;
        out->class_of.at[i] = graco_dataset_label(data, node_of(i, cloud.rows, Z->rows));
    }
done:
    memory_free(cloud.X);
    memory_free(axis);
    return status;
}
