/* Text tables: separators, comments, headers, ids, weights, errors with lines; and speed. */
#include "base/memory.h"
#include "base/threads.h"
#include "io/tables/scan.h"
#include "io/tables/table.h"

#include "table_texts.h"

#include <locale.h>

static void test_edges(void)
{
    static const char *const same[] = {
        "0 1\n2 5\n5 0\n",
        "0\t1\n2\t5\n5\t0",
        "0,1\n2,5\n5,0\n",
        "0;1\r\n2;5\r\n5;0\r\n",
        "\xef\xbb\xbf# SNAP\n% KONECT\n\n  0   1  \n 2\t 5\n\n#x\n5 0\n",
        "0 , 1\n2 ,5\n5, 0\n",
        "\"0\" \"1\"\n\"2\" 5\n5 \"0\"\n",
        "0 1 0.5\n2 5 1e3\n5 0 7\n",
    };
    struct table_edges edges;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        CHECK_OK(edges_of(&edges, same[i]));
        CHECK(edges.count == 3 && edges.nodes == 6 && !edges.names);
        CHECK(edges.source[1] == 2 && edges.target[1] == 5 && edges.source[2] == 5 &&
              edges.target[2] == 0);
        CHECK(!edges.left_out && !edges.weight == (i != 7));
        CHECK(i != 7 ||
              (edges.weight[0] == 0.5f && edges.weight[1] == 1000 && edges.weight[2] == 7));
        table_edges_clear(&edges);
        hostile_truncate(decode, (const uint8_t *)same[i], (int64_t)strlen(same[i]));
        hostile_corrupt(decode, (const uint8_t *)same[i], (int64_t)strlen(same[i]));
    }
    CHECK_OK(edges_of(&edges, "1 2\nbob 1\n2 alice\n"));
    CHECK(edges.count == 3 && edges.nodes == 4 && edges.names);
    CHECK(edges.source[0] == 0 && edges.target[0] == 1 && edges.source[1] == 2 &&
          edges.target[1] == 0 && edges.target[2] == 3);
    CHECK(strcmp(names_text(edges.names, 3), "alice") == 0);
    table_edges_clear(&edges);
    CHECK_OK(edges_of(&edges, "\"New York\",Rome\nRome,\"a,b\"\n"));
    CHECK(edges.nodes == 3 && strcmp(names_text(edges.names, 2), "a,b") == 0 &&
          strcmp(names_text(edges.names, 0), "New York") == 0);
    table_edges_clear(&edges);
    CHECK_OK(edges_of(&edges, "\"a \"\"b\"\"\",\"\"\"\"\r\n\"\"\",\"\"x\"\"\"\"\",a\r\n"));
    CHECK(edges.nodes == 4 && strcmp(names_text(edges.names, 0), "a \"b\"") == 0 &&
          strcmp(names_text(edges.names, 1), "\"") == 0 &&
          strcmp(names_text(edges.names, 2), "\",\"x\"\"") == 0);
    table_edges_clear(&edges);
    CHECK_OK(edges_of(&edges, "2000000000 7\n7 99999999999999999999\n")); /* labels, not numbers */
    CHECK(edges.nodes == 3 && edges.names);
    table_edges_clear(&edges);
    CHECK_OK(edges_of(&edges, "2000000000 7\n"));
    CHECK(edges.nodes == 2 && edges.names);
    table_edges_clear(&edges);
    CHECK_OK(edges_of(&edges, "-1 7\n"));
    CHECK(edges.nodes == 2 && edges.names);
    table_edges_clear(&edges);
    table_edges_clear(NULL);
}

static void test_weights(void)
{
    static const char *const wrong[] = {"-7", "0", "1e-300", "1e300", "-0.0"};
    const struct table_options unweighted = {.unweighted = true};
    struct table_edges edges;
    char text[64];
    CHECK_OK(edges_of(&edges, "Source,Target,Weight\n7,ann,2\nann,bob,.25\n"));
    CHECK(edges.header && edges.names && edges.weight[0] == 2 && edges.weight[1] == 0.25f);
    table_edges_clear(&edges);
    /* A column that the header calls otherwise has no weights, whatever it holds. */
    CHECK_OK(edges_of(&edges, "source,target,since\n0,1,-44\n1,2,2011\n"));
    CHECK(edges.count == 2 && !edges.weight && edges.left_out && strstr(edges.reading, "`since`"));
    table_edges_clear(&edges);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "0 1 1\n1 2 %s\n", wrong[i]);
        CHECK_FAILS(edges_of(&edges, text), GRACO_ERROR_FORMAT, "e.txt, line 2: \"");
        CHECK(strstr(graco_message(), "is no weight, a finite number above 0 is expected"));
        CHECK_OK(table_edges_read(&edges, "e.txt", text, (int64_t)strlen(text), &unweighted));
        CHECK(edges.count == 2 && !edges.weight && edges.left_out && !*edges.reading);
        table_edges_clear(&edges);
    }
}

/* The words of a header say which column is which; all of these have an edge from 7 to 9. */
static void test_columns(void)
{
    static const struct {
        const char *text;
        float weight;     /* 0: none */
        const char *left; /* the columns that are left out; "": none */
    } cases[] = {
        {"source,target\n7,9\n", 0, ""},
        {"target,source\n9,7\n", 0, ""},
        {"dst,src\n9,7\n", 0, ""},
        {"To\tFrom\n9\t7\n", 0, ""},
        {"receiver sender\n9 7\n", 0, ""},
        {"target_id,source_id\n9,7\n", 0, ""},
        {"\"Target\";\"Source\"\n9;7\n", 0, ""},
        {"node1,node2\n7,9\n", 0, ""},
        {"head,tail\n7,9\n", 0, ""},
        {"tail,head\n7,9\n", 0, ""},
        {"target,source,weight\n9,7,3\n", 3, ""},
        {"weight,source,target\n3,7,9\n", 3, ""},
        {"w,target,source\n3,9,7\n", 3, ""},
        {"from,weight,to\n7,3,9\n", 3, ""},
        {"weight,node1,node2\n3,7,9\n", 3, ""},
        {"edge_weight,to,x\n3,9,7\n", 3, ""},
        {"x,source,weight\n9,7,3\n", 3, ""},
        {"source,target,since\n7,9,3\n", 0, "; left out: `since`"},
        {"id,target,source\n1,9,7\n", 0, "; left out: `id`"},
        {"source,kind,target\n7,friend,9\n", 0, "; left out: `kind`"},
        {"target,source,weight\r\n9,7,3\r\n", 3, ""},
        {"source,target,since\n7,9,\n", 0, "; left out: `since`"},
        {",source,target\n0,7,9\n", 0, ""},
        {"source,target,weight,year\n7,9,3,2011\n", 3, "; left out: `year`"},
        {"year,weight,target,kind,source\n,3,9,\"a, b\",7\n", 3, "; left out: `year`, `kind`"},
        {",source,target,weight\r\n0,7,9,3\r\n", 3, ""},
        {"dst\tw\tsrc\tnote\n9\t3\t7\tnone\n", 3, "; left out: `note`"},
        {"year;from;kind;to\n2011;7;;9\n", 0, "; left out: `year`, `kind`"},
        {"id source target a b c d e f g weight\n1 7 9 . . . . . . . 3\n", 3,
         "; left out: `id`, `a`, `b`, `c`, `d`, `e`, `f`, `g`"},
    };
    struct table_edges edges;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(edges_of(&edges, cases[i].text));
        CHECK(edges.header && edges.count == 1 && edges.source[0] == 7 && edges.target[0] == 9);
        CHECK(edges.weight ? edges.weight[0] == cases[i].weight : cases[i].weight == 0);
        const char *left = strstr(edges.reading, "; left out");
        CHECK(strncmp(left ? left : "", cases[i].left, strlen(cases[i].left)) == 0 &&
              !left == !*cases[i].left);
        table_edges_clear(&edges);
        hostile_truncate(decode, (const uint8_t *)cases[i].text, (int64_t)strlen(cases[i].text));
    }
    CHECK_FAILS(edges_of(&edges, "weight,source,target\nx,7,9\n"), GRACO_ERROR_FORMAT,
                "line 2: the first field \"x\" is no weight");
    CHECK_FAILS(edges_of(&edges, "source,weight\n7,9\n"), GRACO_ERROR_FORMAT,
                "2 columns, one of them of weights: expected two of ends");
    CHECK_FAILS(edges_of(&edges, "target,to,source\n7,9,1\n"), GRACO_ERROR_FORMAT,
                "several pairs may be the ends");
    CHECK_FAILS(edges_of(&edges, "weight,source,weights\n7,9,1\n"), GRACO_ERROR_FORMAT,
                "columns 1 and 3 are both called as weights are: --weight says which");
    const struct table_options yes = {.header = TABLE_HEADER_YES};
    CHECK_FAILS(table_edges_read(&edges, "e.txt", "a,b,c,d\n", 8, &yes), GRACO_ERROR_FORMAT,
                "such as --source a --target b");
    CHECK_FAILS(table_edges_read(&edges, "e.txt", "a,b\n", 4, &yes), GRACO_ERROR_FORMAT,
                "e.txt holds no edges: two ids");
    CHECK_FAILS(edges_of(&edges, "a,b,x1\nb,c,2\n"), GRACO_ERROR_FORMAT,
                "\"a\" and \"b\", may be a header");
    CHECK_FAILS(edges_of(&edges, "source,target\n"), GRACO_ERROR_FORMAT, "below its first line");
    CHECK_FAILS(edges_of(&edges, "a,b,1,2\n"), GRACO_ERROR_FORMAT,
                "e.txt has 4 columns and no header that names source and target: name the two by "
                "number, such as --source 1 --target 2");
}

static void test_edge_errors(void)
{
    struct table_edges edges;
    CHECK_FAILS(edges_of(&edges, ""), GRACO_ERROR_FORMAT, "no edges");
    CHECK_FAILS(edges_of(&edges, "# nothing\n"), GRACO_ERROR_FORMAT, "e.txt");
    CHECK_FAILS(edges_of(&edges, "0 1\n\n2\n"), GRACO_ERROR_FORMAT, "e.txt, line 3: 1 fields");
    CHECK_FAILS(edges_of(&edges, "0 1\n2 3 4\n"), GRACO_ERROR_FORMAT, "line 2: 3 fields");
    CHECK_FAILS(edges_of(&edges, "0 1 2 3\n"), GRACO_ERROR_FORMAT, "4 columns and no header");
    CHECK_FAILS(edges_of(&edges, "0 1 2\n1 2 x\n"), GRACO_ERROR_FORMAT, "line 2: the third field");
    CHECK_FAILS(edges_of(&edges, "0 1 nan\n"), GRACO_ERROR_FORMAT, "\"nan\" is no weight");
    /* A header has as many fields as the lines below it. */
    CHECK_FAILS(edges_of(&edges, "source target weight\n0 1\n"), GRACO_ERROR_FORMAT,
                "line 2: 2 fields found");
    CHECK_FAILS(edges_of(&edges, "source target\n0 1 5\n"), GRACO_ERROR_FORMAT,
                "line 2: 3 fields found");
    CHECK_FAILS(edges_of(&edges, "0,1\n1,\n"), GRACO_ERROR_FORMAT, "line 2: a field is empty");
    CHECK_FAILS(edges_of(&edges, "0,1\n,1\n"), GRACO_ERROR_FORMAT, "line 2: a field is empty");
    CHECK_FAILS(edges_of(&edges, "\"a b\n"), GRACO_ERROR_FORMAT, "quote");
    CHECK_FAILS(edges_of(&edges, "\"a\"b c\n"), GRACO_ERROR_FORMAT, "closing quote");
    CHECK_FAILS(table_edges_read(&edges, "bin", "a\0b c\n", 6, NULL), GRACO_ERROR_FORMAT, "NUL");
    CHECK(edges.source == NULL);
}

static void test_numbers(void)
{
    struct table_numbers numbers;
    CHECK_OK(numbers_of(&numbers, "1 2.5 -3\n4e2 .5 6.\n", TABLE_IDS_AUTO));
    CHECK(numbers.rows == 2 && numbers.cols == 3 && !numbers.ids && !numbers.header);
    CHECK(numbers.data[1] == 2.5f && numbers.data[2] == -3 && numbers.data[3] == 400 &&
          numbers.data[4] == 0.5f && numbers.data[5] == 6);
    table_numbers_clear(&numbers);
    CHECK_OK(numbers_of(&numbers, "id,age,size\nbob,1,2\neve,3,4\n", TABLE_IDS_AUTO));
    CHECK(numbers.rows == 2 && numbers.cols == 2 && numbers.header && numbers.ids);
    CHECK(numbers.data[3] == 4 && strcmp(names_text(numbers.ids, 1), "eve") == 0);
    table_numbers_clear(&numbers);
    CHECK_OK(numbers_of(&numbers, "bob,1,2\neve,3,4\n", TABLE_IDS_AUTO));
    CHECK(numbers.rows == 2 && numbers.cols == 2 && !numbers.header && numbers.ids);
    table_numbers_clear(&numbers);
    CHECK_OK(numbers_of(&numbers, "age,size\n1,2\n", TABLE_IDS_AUTO));
    CHECK(numbers.rows == 1 && numbers.cols == 2 && numbers.header && !numbers.ids);
    table_numbers_clear(&numbers);
    CHECK_OK(numbers_of(&numbers, "age\n1\n2\n", TABLE_IDS_AUTO));
    CHECK(numbers.rows == 2 && numbers.cols == 1 && numbers.header && !numbers.ids);
    table_numbers_clear(&numbers);
    CHECK_OK(numbers_of(&numbers, "10 1 2\n7 3 4\n", TABLE_IDS_FIRST));
    CHECK(numbers.rows == 2 && numbers.cols == 2 && strcmp(names_text(numbers.ids, 1), "7") == 0);
    table_numbers_clear(&numbers);
    CHECK_OK(numbers_of(&numbers, "node x y\n10 1 2\n7 3 4\n", TABLE_IDS_FIRST));
    CHECK(numbers.rows == 2 && numbers.cols == 2 && numbers.header);
    table_numbers_clear(&numbers);
    CHECK_FAILS(numbers_of(&numbers, "1 2\n3\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT,
                "f.csv, line 2: 1 numbers");
    CHECK_FAILS(numbers_of(&numbers, "1 2\n3 4 5\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT, "line 2");
    CHECK_FAILS(numbers_of(&numbers, "1 2\n3 x\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT, "\"x\"");
    CHECK_FAILS(numbers_of(&numbers, "1 nan\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT, "line 1");
    CHECK_FAILS(numbers_of(&numbers, "1 1e39\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT, "finite");
    CHECK_FAILS(numbers_of(&numbers, "1 1e999\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT, "finite");
    CHECK_FAILS(numbers_of(&numbers, "a b\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT, "no rows");
    CHECK_FAILS(numbers_of(&numbers, "", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT, "no numbers");
    CHECK_FAILS(numbers_of(&numbers, "a 1\nb 2\na 3\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT,
                "line 3: the id \"a\" is repeated");
    table_numbers_clear(NULL);
}

/* A first line with commas is tried with other separators; what is wrong then is wrong for them alone. */
static void test_decimal_commas(void)
{
    static const char *const fine[] = {"\"New York\",Rome\n", "a;;b,c\n",   ";a,b\n",
                                       "a 1,5 b\n",           "a b 1,x\n",  "a b ,1\n",
                                       "a b c 1,5\n",         "a;b;1,5;c\n"};
    static const char *const wrong[] = {"a b 1,5\n", "a;b;1,5\n", "1;2;3,25\n"};
    struct table_edges edges;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        CHECK_OK(edges_of(&edges, fine[i]));
        table_edges_clear(&edges);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(edges_of(&edges, wrong[i]), GRACO_ERROR_FORMAT, "needs a point");
}

static void test_labels(void)
{
    struct table_labels labels;
    CHECK_OK(labels_of(&labels, "0\n2\n-1\n2\n"));
    CHECK(labels.count == 4 && labels.classes == 3 && !labels.ids && !labels.labels &&
          labels.label[2] == -1);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "cat\ndog\nape\ncat\n"));
    CHECK(labels.count == 4 && labels.classes == 3 && labels.labels);
    CHECK(labels.label[0] == 1 && labels.label[1] == 2 && labels.label[2] == 0 &&
          labels.label[3] == 1 && strcmp(names_text(labels.labels, 0), "ape") == 0);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "id,label\nn1,3\nn2,0\n"));
    CHECK(labels.count == 2 && labels.classes == 4 && labels.ids && !labels.labels &&
          strcmp(names_text(labels.ids, 0), "n1") == 0);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "n1 red\nn2 blue\n"));
    CHECK(labels.count == 2 && labels.classes == 2 && labels.label[0] == 1);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "a,NA\nb,x\nc,\nd,nan\ne,<NA>\nf,nano\n"));
    CHECK(labels.count == 6 && labels.classes == 2 && !labels.header && labels.label[5] == 0 &&
          labels.label[1] == 1);
    for (int i = 0; i < 5; i++)
        CHECK(i == 1 || labels.label[i] == -1);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "NaN\n1\nnull\n2\n"));
    CHECK(labels.count == 4 && labels.classes == 3 && !labels.labels && labels.label[0] == -1 &&
          labels.label[2] == -1);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "team\n7\n")); /* the only odd one: a header */
    CHECK(labels.count == 1 && labels.label[0] == 7 && labels.header && labels.guessed);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "id,label\nn1,3\nn2,0\n"));
    CHECK(labels.header && !labels.guessed);
    table_labels_clear(&labels);
    CHECK_FAILS(labels_of(&labels, "-5\n7\n"), GRACO_ERROR_FORMAT, "may be a header");
    CHECK_FAILS(labels_of(&labels, "None\n7\n"), GRACO_ERROR_FORMAT, "may be a header");
    CHECK_FAILS(labels_of(&labels, "3 x\n4 7\n"), GRACO_ERROR_FORMAT, "may be a header");
    CHECK_FAILS(labels_of(&labels, "a 1\na 2\n"), GRACO_ERROR_FORMAT, "line 2: the id \"a\"");
    CHECK_FAILS(labels_of(&labels, "a 1\nb\n"), GRACO_ERROR_FORMAT, "l.txt, line 2");
    CHECK_FAILS(labels_of(&labels, "a b c\n"), GRACO_ERROR_FORMAT, "line 1");
    CHECK_FAILS(labels_of(&labels, "\n"), GRACO_ERROR_FORMAT, "no labels");
    table_labels_clear(NULL);
}

static void test_matrix_market(void)
{
    static const char *const wrong[][2] = {
        {"array real general\n3 3\n1\n", "of another kind"},
        {"coordinate complex general\n3 3 1\n1 1 0 0\n", "of another kind"},
        {"coordinate pattern general\n3 4 1\n1 2\n", "line 2: no size"},
        {"coordinate pattern general\n", "no size"},
        {"coordinate pattern general\n3 3 2\n1 2\n", "1 entries: expected 2"},
        {"coordinate pattern general\n3 3 1\n1 4\n", "line 3: no entry"},
        {"coordinate pattern general\n3 3 1\n0 1\n", "line 3: no entry"},
        {"coordinate real general\n3 3 1\n1 2\n", "line 3: 2 fields"},
        {"coordinate real general\n3 3 1\n1 2 nan\n", "line 3: no entry"},
        {"coordinate real general\n3 3 1\n1 2 -1\n", "line 3: \"-1\" is no weight"},
        {"coordinate pattern general\n2000000000 2000000000 1\n1 2\n", "at most 65536"},
    };
    const char *text = "%%MatrixMarket matrix coordinate real symmetric\n% by hand\n4 4 3\n"
                       "2 1 .5\n3 1 1\n3 3 2\n";
    char file[256];
    struct table_edges edges;
    CHECK_OK(edges_of(&edges, text));
    CHECK(edges.nodes == 4 && edges.count == 5 && edges.matrix_market);
    CHECK(edges.weight[0] == 0.5f && edges.weight[1] == 0.5f && edges.weight[4] == 2);
    CHECK(edges.source[0] == 1 && edges.target[0] == 0 && edges.source[1] == 0 &&
          edges.target[1] == 1 && edges.source[4] == 2 && edges.target[4] == 2);
    table_edges_clear(&edges);
    hostile_truncate(decode, (const uint8_t *)text, (int64_t)strlen(text));
    hostile_corrupt(decode, (const uint8_t *)text, (int64_t)strlen(text));
    CHECK_OK(
        edges_of(&edges, "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"));
    CHECK(edges.nodes == 3 && edges.count == 2 && !edges.weight && edges.target[1] == 2);
    table_edges_clear(&edges);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(file, sizeof file, "%%%%MatrixMarket matrix %s", wrong[i][0]);
        CHECK_FAILS(edges_of(&edges, file), GRACO_ERROR_FORMAT, wrong[i][1]);
    }
}

/* Headers, ids and separators that only looking can tell. */
static void test_understanding(void)
{
    struct table_edges edges;
    struct table_numbers numbers;
    struct table_labels labels;
    static const char *const headed[] = {"Source,Target\n0,1\n1,2\n", "from to\n0 1\n1 2\n",
                                         "a,b,weight\n0,1,2\n1,2,2\n", "paper,cites\n0,1\n1,2\n",
                                         "src\tdst\tw\n0\t1\t1\n1\t2\t2\n"};
    for (size_t i = 0; i < sizeof headed / sizeof *headed; i++) {
        CHECK_OK(edges_of(&edges, headed[i]));
        CHECK(edges.header && edges.count == 2 && edges.nodes == 3 && !edges.names);
        table_edges_clear(&edges);
    }
    CHECK_OK(edges_of(&edges, "source,target\nann,bob\n"));
    CHECK(edges.header && edges.nodes == 2 && edges.names);
    table_edges_clear(&edges);
    CHECK_OK(edges_of(&edges, "New York\tRome\nRome\tSan Jose, CA\n"));
    CHECK(edges.nodes == 3 && strcmp(names_text(edges.names, 0), "New York") == 0);
    table_edges_clear(&edges);
    CHECK_FAILS(edges_of(&edges, "source,target\nann,source\n"), GRACO_ERROR_FORMAT,
                "--header yes");
    CHECK_FAILS(edges_of(&edges, "a,b,c\n0,1,2\n"), GRACO_ERROR_FORMAT, "--source a --target b");
    CHECK_FAILS(edges_of(&edges, "node,bob\nann,bob\n"), GRACO_ERROR_FORMAT, "--header no");
    const struct table_options no = {.header = TABLE_HEADER_NO}, yes = {.header = TABLE_HEADER_YES};
    CHECK_OK(table_edges_read(&edges, "e", "source,target\n", 14, &no));
    CHECK(edges.count == 1 && !edges.header);
    table_edges_clear(&edges);
    CHECK_OK(table_edges_read(&edges, "e", "paper,cites\n0,1\n", 16, &yes));
    CHECK(edges.count == 1 && !edges.names && edges.header);
    table_edges_clear(&edges);

    CHECK_OK(numbers_of(&numbers, "node_id,a,b\n2,5,6\n0,7,8\n1,9,9\n", TABLE_IDS_AUTO));
    CHECK(numbers.cols == 2 && numbers.id_column == 1 && numbers.data[0] == 5 && numbers.ids);
    table_numbers_clear(&numbers);
    CHECK_OK(numbers_of(&numbers, "a,b,ID\n5,6,17\n7,8,4\n", TABLE_IDS_AUTO));
    CHECK(numbers.cols == 2 && numbers.id_column == 3 && numbers.data[2] == 7);
    CHECK(strcmp(names_text(numbers.ids, 0), "17") == 0);
    table_numbers_clear(&numbers);
    CHECK_FAILS(numbers_of(&numbers, "a,b,id\n5,6,7\n7,8\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT,
                "line 3: 1 numbers");
    CHECK_OK(numbers_of(&numbers, ",0,1\n5,6,17\n7,8,4\n", TABLE_IDS_AUTO)); /* a data frame */
    CHECK(numbers.header && numbers.id_column == 1 && numbers.rows == 2);
    table_numbers_clear(&numbers);
    CHECK_OK(numbers_of(&numbers, "1 .5\n0 .25\n2 .75\n", TABLE_IDS_AUTO));
    CHECK(numbers.cols == 1 && numbers.id_column == 1 && numbers.data[1] == .25f);
    table_numbers_clear(&numbers);
    CHECK_FAILS(numbers_of(&numbers, "rank,a\n1,5\n0,6\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT,
                "--id-column none");
    CHECK_FAILS(numbers_of(&numbers, "0 1\n1 0\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT,
                "--id-column 1");
    CHECK_FAILS(numbers_of(&numbers, "id,node,a\n1,5,2\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT,
                "columns 1 and 2");
    CHECK_FAILS(numbers_of(&numbers, "id,0,1\nbob,5,2\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT,
                "--header yes");
    const struct table_options none = {.id_column = "none"}, rank = {.id_column = "Rank"};
    CHECK_OK(table_numbers_read(&numbers, "f", "rank,a\n1,5\n0,6\n", 15, TABLE_IDS_AUTO, &none));
    CHECK(numbers.cols == 2 && !numbers.ids && numbers.header);
    table_numbers_clear(&numbers);
    CHECK_OK(table_numbers_read(&numbers, "f", "a,rank\n1,5\n0,6\n", 15, TABLE_IDS_AUTO, &rank));
    CHECK(numbers.cols == 1 && numbers.id_column == 2);
    table_numbers_clear(&numbers);
    CHECK_FAILS(table_numbers_read(&numbers, "f", "1,5\n", 4, TABLE_IDS_AUTO, &rank),
                GRACO_ERROR_FORMAT, "no column of ids 'Rank'");

    CHECK_OK(labels_of(&labels, "node,kind\na,cat\nb,dog\n"));
    CHECK(labels.header && labels.count == 2 && labels.classes == 2 && labels.label[0] == 0);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "Class\ncat\ndog\n"));
    CHECK(labels.header && labels.count == 2 && labels.classes == 2);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "label\tid\n3\ta\n\tb\n"));
    CHECK(labels.count == 2 && labels.id_column == 2 && labels.label[0] == 3 &&
          labels.label[1] == -1);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "a,cat\nb,\nc,ape\n"));
    CHECK(labels.classes == 2 && labels.label[0] == 1 && labels.label[1] == -1 &&
          labels.label[2] == 0);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "a,\nb,1\n"));
    CHECK(labels.count == 2 && labels.label[0] == -1 && labels.label[1] == 1);
    table_labels_clear(&labels);
    CHECK_FAILS(labels_of(&labels, "type\ncat\ntype\n"), GRACO_ERROR_FORMAT, "--header no");
    CHECK_FAILS(labels_of(&labels, "0\n\n1\n"), GRACO_ERROR_FORMAT, "line 3: empty lines");
    CHECK_FAILS(labels_of(&labels, "a,1\n,2\n"), GRACO_ERROR_FORMAT, "line 2: an id is empty");
}

/* Rows of four numbers: 0.5 times the row, and in the column `ids` (from 0), and `also` if it is below
 * four, the row numbers from the last to the first. */
static const char *shuffled(char text[1024], const char *header, int rows, int ids, int also)
{
    int used = snprintf(text, 1024, "%s", header);
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < 4; c++)
            used += snprintf(text + used, 1024 - (size_t)used, "%g%c",
                             c == ids || c == also ? rows - 1 - i : 0.5 * i, c < 3 ? ',' : '\n');
    return text;
}

/* Ids are found by what they are, in whatever column they stand. */
static void test_id_columns(void)
{
    struct table_numbers numbers;
    char text[1024], wanted[64];
    for (int c = 0; c < 4; c++) {
        CHECK_OK(numbers_of(&numbers, shuffled(text, "", 9, c, 9), TABLE_IDS_AUTO));
        CHECK(numbers.id_column == c + 1 && numbers.cols == 3 && numbers.rows == 9);
        CHECK(strcmp(names_text(numbers.ids, 0), "8") == 0 && numbers.data[3] == 0.5f);
        table_numbers_clear(&numbers);
        snprintf(wanted, sizeof wanted, "column %d has the number of each node once", c + 1);
        CHECK_FAILS(numbers_of(&numbers, shuffled(text, "a,b,c,d\n", 9, c, 9), TABLE_IDS_AUTO),
                    GRACO_ERROR_FORMAT, wanted);
    }
    CHECK_FAILS(numbers_of(&numbers, shuffled(text, "", 9, 1, 3), TABLE_IDS_AUTO),
                GRACO_ERROR_FORMAT, "--id-column 2, --id-column 4 or --id-column none decides");
    CHECK_FAILS(numbers_of(&numbers, shuffled(text, "a,b,c,d\n", 9, 1, 3), TABLE_IDS_AUTO),
                GRACO_ERROR_FORMAT, "columns 2 and 4 have the number of each node once");
    /* In a small table that is chance. */
    CHECK_OK(numbers_of(&numbers, shuffled(text, "a,b,c,d\n", 7, 2, 9), TABLE_IDS_AUTO));
    CHECK(numbers.id_column == 0 && numbers.cols == 4);
    table_numbers_clear(&numbers);
    /* One number twice, and no permutation is left. */
    memcpy(strstr(shuffled(text, "", 9, 2, 9), ",7,"), ",8,", 3);
    CHECK_OK(numbers_of(&numbers, text, TABLE_IDS_AUTO));
    CHECK(numbers.id_column == 0 && numbers.cols == 4);
    table_numbers_clear(&numbers);
}

static struct scan_field field_of(const char *text)
{
    return (struct scan_field){.text = text, .length = (int64_t)strlen(text)};
}

static void check_number(const char *text, double expected)
{
    double value = 0;
    CHECK(scan_number(&value, field_of(text)));
    CHECK(value == expected && signbit(value) == signbit(expected));
}

/* Against strtod on many random decimals, the exact and the slow path. */
static void test_scan_number(void)
{
    static const char *const wrong[] = {"",   "-",   ".",    "1e", "1e+",  "e5",  "1.2.3", "0x10",
                                        "1 ", "+-1", "1e5.", "na", "infx", "--1", "1e+-5", "1d5"};
    double value;
    uint64_t bits = 7;
    char text[64];
    check_number("0", 0);
    check_number("-0.0", -0.0);
    check_number("+7", 7);
    check_number("1e+22", 1e22);
    check_number("1e-22", 1e-22);
    check_number("123456789012345678901234567890", 123456789012345678901234567890.0);
    check_number("9007199254740993", 9007199254740992.0);
    check_number("0.1000000000000000055511151231257827", 0.1);
    check_number("1e-9999", 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!scan_number(&value, field_of(wrong[i])));
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        int digits = (int)(bits >> 60) + 1, exponent = (int)(bits >> 40 & 63) - 32;
        snprintf(text, sizeof text, "%.*ge%d", digits, (double)(bits >> 11) * 0x1p-53, exponent);
        if (strchr(text, 'e') == strrchr(text, 'e'))
            check_number(text, strtod(text, NULL));
    }
}

static void test_speed(void)
{
    enum { EDGES = 400000, ROWS = 4000, COLS = 100 };
    char *text = malloc(EDGES * 24);
    int64_t length = 0;
    struct table_edges edges;
    struct table_numbers numbers;
    for (int64_t i = 0; i < EDGES; i++)
        length += sprintf(text + length, "%d\t%d\n", (int)(i * 7919 % 100003),
                          (int)(i * 104729 % 100003));
    double begin = threads_seconds();
    CHECK_OK(table_edges_read(&edges, "speed", text, length, NULL));
    double rate = (double)length / (threads_seconds() - begin) * 1e-6;
    printf("edges: %.0f MB/s\n", rate);
    CHECK(edges.count == EDGES);
    table_edges_clear(&edges);
    for (int64_t i = 0; i < length; i++) /* the same with names */
        text[i] = text[i] == '0' ? 'x' : text[i];
    begin = threads_seconds();
    CHECK_OK(table_edges_read(&edges, "speed", text, length, NULL));
    rate = (double)length / (threads_seconds() - begin) * 1e-6;
    printf("edges with names: %.0f MB/s\n", rate);
    table_edges_clear(&edges);
    length = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            length += sprintf(text + length, "%.6f%c", (i * 37 + j * 11) % 1000 / 999.0,
                              j + 1 < COLS ? ',' : '\n');
    begin = threads_seconds();
    CHECK_OK(table_numbers_read(&numbers, "speed", text, length, TABLE_IDS_NONE, NULL));
    rate = (double)length / (threads_seconds() - begin) * 1e-6;
    printf("numbers: %.0f MB/s\n", rate);
    CHECK(numbers.rows == ROWS && numbers.cols == COLS);
    table_numbers_clear(&numbers);
    free(text);
}

int main(void)
{
    test_edges();
    test_weights();
    test_columns();
    test_edge_errors();
    test_numbers();
    test_decimal_commas();
    test_labels();
    test_understanding();
    test_id_columns();
    test_matrix_market();
    test_scan_number();
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        test_scan_number();
    test_speed();
    return check_result();
}
