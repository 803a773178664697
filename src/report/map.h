/* A map: a place in the plane for every node, and what is shown of it on a page or in a picture. */
#ifndef REPORT_MAP_H
#define REPORT_MAP_H

#include "graco_more.h"
#include "report/svg.h"

/* Nearest neighbours of a node that the page names. */
enum { MAP_NEAR = 5 };

/* What colour may show: groups of nodes, or numbers. Owns its arrays. */
struct map_column {
    char *name;
    int32_t *group; /* (nodes) number of a word; NULL: there are numbers */
    int64_t words;
    char **word;   /* (words) what groups are called */
    float *values; /* (nodes) NaN: not known */
};

struct graco_map {
    graco_map_info info;
    char *title, *scores;
    int64_t nodes, near; /* so many neighbours are known of each node, at most MAP_NEAR */
    float *place;        /* (nodes, 2) */
    int32_t *neighbour;  /* (nodes, near) the nearest first */
    char **name;         /* (nodes) or NULL: nodes are called by their numbers */
    int64_t columns;
    struct map_column *column; /* classes, if any, clusters, degrees, if any, the caller's */
};

/* The page. */
void map_page(struct text *out, const graco_map *map);

/* The pictures, by the first column, which has groups. The first is to be a part of a page. */
void map_plot(struct text *out, const graco_map *map, const struct svg_head *head);
void map_svg(struct text *out, const graco_map *map);
graco_status map_png(const graco_map *map, const char *path);

/* ---- A picture of pixels as a PNG file (ISO/IEC 15948), eight bits each of red, green and blue -- */

/* Writes pixels (height, width, 3), the highest row first, atomically. Either side is 1 to 2^15. */
graco_status png_save(const uint8_t *pixels, int64_t width, int64_t height, const char *path);

#endif
