/* The page of a map: a frame of HTML, a style over the house's colours, the nodes as JSON, and the
 * script map_*.js, which draws them. Numbers are base64 of their bytes: a fifth of their digits. The
 * page is XML too, and its policy lets it ask nobody for anything. */
#include "report/map.h"

#include "report/theme.h"

/* The files map.css, map_frame.html and map_*.js, the last in one; each has a NUL. The build makes
 * them. */
extern const char MAP_STYLE[], MAP_FRAME[], MAP_SCRIPT[];

static void add_base64(struct text *out, const void *bytes, int64_t length)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *at = bytes;
    text_add(out, "\"");
    for (int64_t i = 0; i < length; i += 3) {
        uint32_t three = (uint32_t)at[i] << 16;
        three |= i + 1 < length ? (uint32_t)at[i + 1] << 8 : 0;
        three |= i + 2 < length ? at[i + 2] : 0;
        char four[4] = {DIGITS[three >> 18], DIGITS[three >> 12 & 63], DIGITS[three >> 6 & 63],
                        DIGITS[three & 63]};
        if (i + 1 >= length)
            four[2] = '=';
        if (i + 2 >= length)
            four[3] = '=';
        text_add_bytes(out, four, 4);
    }
    text_add(out, "\"");
}

static void add_strings(struct text *out, char *const *strings, int64_t count)
{
    text_add(out, "[");
    for (int64_t i = 0; i < count; i++) {
        text_add(out, i > 0 ? "," : "");
        text_json(out, strings[i], true);
    }
    text_add(out, "]");
}

static void add_column(struct text *out, const struct map_column *column, int64_t nodes)
{
    text_add(out, "{\"name\":");
    text_json(out, column->name, true);
    if (column->group) {
        text_add(out, ",\"words\":");
        add_strings(out, column->word, column->words);
        text_add(out, ",\"group\":");
        add_base64(out, column->group, nodes * (int64_t)sizeof *column->group);
    } else {
        text_add(out, ",\"values\":");
        add_base64(out, column->values, nodes * (int64_t)sizeof *column->values);
    }
    text_add(out, "}");
}

static void add_data(struct text *out, const graco_map *map)
{
    text_print(out, "{\"nodes\":%lld,\"near\":%lld,\"place\":", (long long)map->nodes,
               (long long)map->near);
    add_base64(out, map->place, 2 * map->nodes * (int64_t)sizeof *map->place);
    text_add(out, ",\n\"neighbours\":");
    add_base64(out, map->neighbour, map->nodes * map->near * (int64_t)sizeof *map->neighbour);
    text_add(out, ",\n\"names\":");
    if (map->name)
        add_strings(out, map->name, map->nodes);
    else
        text_add(out, "null");
    text_add(out, ",\n\"columns\":[");
    for (int64_t c = 0; c < map->columns; c++) {
        text_add(out, c > 0 ? ",\n" : "");
        add_column(out, &map->column[c], map->nodes);
    }
    text_add(out, "]}");
}

void map_page(struct text *out, const graco_map *map)
{
    text_add(out, "<!DOCTYPE html>\n"
                  "<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
                  "<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\"/>\n"
                  "<link rel=\"icon\" href=\"data:,\"/>\n<title>");
    text_html(out, map->title);
    text_add(out, "</title>\n<style>\n" THEME_COLOURS ":root{--sans:" THEME_SANS "}\n");
    text_add(out, MAP_STYLE);
    text_add(out, "</style>\n</head>\n<body>\n<header>\n<h1 dir=\"auto\">");
    text_html(out, map->title);
    text_add(out, "</h1>\n");
    if (*map->scores) {
        text_add(out, "<p id=\"scores\">");
        text_html(out, map->scores);
        text_add(out, "</p>\n");
    }
    text_add(out, MAP_FRAME);
    text_add(out, "<script type=\"application/json\" id=\"data\">\n");
    add_data(out, map);
    text_add(out, "\n</script>\n<script>\n//<![CDATA[\n"
                  "(() => {\n\"use strict\";\n");
    text_add(out, MAP_SCRIPT);
    text_add(out, "})();\n//]]>\n</script>\n</body>\n</html>\n");
}
