/* Hostile data sets that are texts, of about so many bytes: for data/test_set_growth.c. */
#ifndef TESTS_DATA_GROWTH_TEXTS_H
#define TESTS_DATA_GROWTH_TEXTS_H

#include "data/growth_files.h"

static void musae_files(void)
{
    put_text("set/m_edges.csv", "a,b\n0,0\n", "", 0, "");
    put_text("set/m_target.csv", "id,target\n0,1\n", "", 0, "");
}

static const char *musae_nodes(int64_t size)
{
    musae_files();
    put_text("set/m_features.json", "{\"0\":[]", "", 0, "");
    FILE *file = fopen(fixture_path("set/m_features.json"), "ab");
    for (int64_t i = 1; file && i < size / 11; i++)
        fprintf(file, ",\"%lld\":[]", (long long)i);
    fputs("}", file);
    fclose(file);
    return "set";
}

static const char *musae_columns(int64_t size)
{
    musae_files();
    put_text("set/m_features.json", "{\"0\":[2147483646", ",%d", size / 7, "]}");
    return "set";
}

static const char *wikics_nodes(int64_t size)
{
    const int64_t nodes = size / 48;
    put_text("set/data.json", "{\"features\":[[1]", ",[1]", nodes - 1, "],\"labels\":[1048575");
    static const char *const lists[][2] = {
        {",0", "],\"links\":[[]"},
        {",[0]", "],\"train_masks\":[[false"},
        {",false", "]],\"val_masks\":[[false"},
        {",false", "]],\"test_mask\":[false"},
        {",false", "]}"},
    };
    FILE *file = fopen(fixture_path("set/data.json"), "ab");
    for (size_t l = 0; file && l < sizeof lists / sizeof *lists; l++) {
        for (int64_t i = 1; i < nodes; i++)
            fputs(lists[l][0], file);
        fputs(lists[l][1], file);
    }
    fclose(file);
    return "set";
}

/* One row of features that the others do not follow. */
static const char *wikics_lists(int64_t size)
{
    put_text("set/data.json", "{\"features\":[[1", ",1", size / 4, "]");
    FILE *file = fopen(fixture_path("set/data.json"), "ab");
    for (int64_t i = 0; file && i < size / 6; i++)
        fputs(",[]", file);
    fputs("]}", file);
    fclose(file);
    return "set";
}

static const char *node_link_links(int64_t size)
{
    put_text("set/graph.json", "{\"nodes\":[{\"id\":0}],\"links\":[",
             "{\"source\":0,\"target\":0},", size / 24, "{\"source\":0,\"target\":0}]}");
    return "set/graph.json";
}

static const char *node_link_nodes(int64_t size)
{
    put_text("set/graph.json", "{\"links\":[],\"nodes\":[{\"id\":\"a\"}", ",{\"id\":%d}", size / 13,
             "]}");
    return "set/graph.json";
}

/* One node with a list: each item is an attribute of its own. */
static const char *node_link_list(int64_t size)
{
    put_text("set/graph.json", "{\"links\":[],\"nodes\":[{\"id\":0,\"x\":[", "1,", size / 2,
             "1]}]}");
    return "set/graph.json";
}

static const char *node_link_names(int64_t size)
{
    put_text("set/graph.json", "{\"links\":[],\"nodes\":[{\"id\":0", ",\"%d\":0", size / 10, "}]}");
    return "set/graph.json";
}

static const char *graphml_nodes(int64_t size)
{
    put_text("set/graph.xml", "<graphml><graph edgedefault='directed'>", "<node id='%d'/>",
             size / 18, "</graph></graphml>");
    return "set/graph.xml";
}

static const char *graphml_edges(int64_t size)
{
    put_text("set/graph.xml", "<graphml><graph edgedefault='undirected'><node id='a'/>",
             "<edge source='a' target='a'/>", size / 29, "</graph></graphml>");
    return "set/graph.xml";
}

static const char *graphml_keys(int64_t size)
{
    put_text("set/graph.xml", "<graphml>", "<key id='%d'/>", size / 17,
             "<graph edgedefault='directed'><node id='a'/></graph></graphml>");
    return "set/graph.xml";
}

/* Keys with a default times nodes that say nothing: no column may come of it. */
static const char *graphml_defaults(int64_t size)
{
    put_text("set/graph.xml", "<graphml>",
             "<key id='%d' attr.type='int'><default>1</default></key>", size / 120,
             "<graph edgedefault='directed'>");
    FILE *file = fopen(fixture_path("set/graph.xml"), "ab");
    for (int64_t i = 0; file && i < size / 36; i++)
        fprintf(file, "<node id='%lld'/>", (long long)i);
    fputs("</graph></graphml>", file);
    fclose(file);
    return "set/graph.xml";
}

/* The label of all nodes, as long as they are together. */
static const char *graphml_usual(int64_t size)
{
    put_text("set/graph.xml", "<graphml><key id='l' for='node' attr.name='label'><default>", "a",
             size / 2, "</default></key><graph edgedefault='directed'>");
    FILE *file = fopen(fixture_path("set/graph.xml"), "ab");
    for (int64_t i = 0; file && i < size / 36; i++)
        fprintf(file, "<node id='%lld'/>", (long long)i);
    fputs("</graph></graphml>", file);
    fclose(file);
    return "set/graph.xml";
}

static const char *graphml_text(int64_t size)
{
    put_text("set/graph.xml",
             "<graphml><key id='a'/><graph edgedefault='directed'><node id='a'>"
             "<data key='a'>",
             "<![CDATA[x]]>", size / 13, "</data></node></graph></graphml>");
    return "set/graph.xml";
}

static const char *edges_numbers(int64_t size)
{
    put_text("set/edges.txt", "", "0 %d\n", size / 8, "");
    return "set/edges.txt";
}

/* As far apart as numbers may be that are no names. */
static const char *edges_far(int64_t size)
{
    char last[32];
    snprintf(last, sizeof last, "0 %lld\n", (long long)(size / 4 * 128));
    put_text("set/edges.txt", "", "0 1\n", size / 4, last);
    return "set/edges.txt";
}

static const char *edges_names(int64_t size)
{
    put_text("set/edges.txt", "", "a%d b\n", size / 8, "");
    return "set/edges.txt";
}

static const char *edges_market(int64_t size)
{
    char head[128];
    snprintf(head, sizeof head,
             "%%%%MatrixMarket matrix coordinate pattern symmetric\n%lld %lld %lld\n",
             (long long)(size / 4 * 16), (long long)(size / 4 * 16), (long long)(size / 4));
    put_text("set/edges.txt", head, "1 2\n", size / 4, "");
    return "set/edges.txt";
}

/* Stored, so that the bytes of the file are those that come out. */
static const char *edges_gzip(int64_t size)
{
    char *text = malloc((size_t)size);
    for (int64_t i = 0; i < size; i++)
        text[i] = "0 1\n"[i % 4];
    small_gzip("set/edges.txt.gz", text, (size_t)size, 0);
    __real_free(text);
    return "set/edges.txt.gz";
}

static const char *edges_tables(int64_t size)
{
    static char features[256], labels[256];
    put_text("set/edges.txt", "", "0 1\n", 1, "");
    put_text("set/features.csv", "", "1\n", size / 4, "");
    put_text("set/labels.csv", "1048575\n", "0\n", size / 4 - 1, "");
    snprintf(features, sizeof features, "%s", fixture_path("set/features.csv"));
    snprintf(labels, sizeof labels, "%s", fixture_path("set/labels.csv"));
    options = (graco_load_options){.features_path = features, .labels_path = labels};
    return "set/edges.txt";
}

#endif
