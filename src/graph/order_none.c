/* A build without METIS: in the place of order_metis.c. */
#include "graph/order.h"

graco_status order_divide(int32_t *part, const struct graph *graph, const int32_t *weight,
                          int parts)
{
    (void)part, (void)graph, (void)weight, (void)parts;
    return status_fail(GRACO_ERROR_DEVICE,
                       "this graco was built without METIS, which divides graphs; expected a build "
                       "after `make setup-metis` (Debian: libmetis-dev)");
}
