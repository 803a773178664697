/* Principal components by power iteration: v <- X'X v for two vectors at a time, orthogonal to
 * each other, X the rows less their mean. A picture needs three digits, so a fixed number of
 * turns will do. */
#include "points.h"

#include "graco_more.h"

#include <math.h>
#include <stdlib.h>
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

static bool fill_cloud(struct cloud *cloud, const graco_matrix *Z)
{
    int64_t rows = Z->rows < POINTS_MAX ? Z->rows : POINTS_MAX, cols = Z->cols;
    *cloud = (struct cloud){rows, cols, calloc((size_t)(rows * cols) + 1, sizeof *cloud->X)};
    if (!cloud->X)
        return false;
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
    return true;
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

static void write_axis(struct writer *json, const char *key, const struct cloud *cloud,
                       const double *axis, double largest)
{
    writer_open(json, key, '[');
    for (int64_t i = 0; i < cloud->rows; i++) {
        double at = product(cloud->X + i * cloud->cols, axis, cloud->cols);
        writer_real(json, NULL, largest > 0 ? round(at / largest * 1e4) / 1e4 : 0);
    }
    writer_close(json);
}

static double largest_of(const struct cloud *cloud, const double *axis)
{
    double largest = 0;
    for (int64_t i = 0; i < cloud->rows; i++)
        for (int a = 0; a < AXES; a++)
            largest = fmax(largest, fabs(product(cloud->X + i * cloud->cols, axis + a * cloud->cols,
                                                 cloud->cols)));
    return largest;
}

bool points_write(struct writer *json, const graco_matrix *Z, const graco_dataset *data)
{
    struct cloud cloud = {0};
    double *axis = calloc((size_t)(AXES + 1) * (size_t)Z->cols + 1, sizeof *axis);
    bool fine = axis && fill_cloud(&cloud, Z);
    if (fine) {
        find_axes(axis, axis + AXES * Z->cols, &cloud);
        double largest = largest_of(&cloud, axis);
        writer_open(json, "points", '{');
        write_axis(json, "x", &cloud, axis, largest);
        write_axis(json, "y", &cloud, axis + Z->cols, largest);
        writer_open(json, "class", '[');
        for (int64_t i = 0; i < cloud.rows; i++)
            writer_integer(json, NULL, graco_dataset_label(data, node_of(i, cloud.rows, Z->rows)));
        writer_close(json);
        writer_close(json);
    }
    free(cloud.X);
    free(axis);
    return fine;
}
