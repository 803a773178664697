/* Tables with columns beside those that are read: their headers name these, and a data frame numbers its
 * rows in a column without a name. */
#include "io/tables/scan.h"
#include "io/tables/table.h"

#include "table_texts.h"

/* What a list with further columns must have: a header that names source and target once, as many fields on
 * each line, and ids. */
static void test_wide_edges(void)
{
    static const char wide[] = "year,source,target,weight,note\n1,ann,bob,2,x\n,bob,cem,.5,\n";
    static const struct table_options no = {.header = TABLE_HEADER_NO},
                                      yes = {.header = TABLE_HEADER_YES},
                                      unweighted = {.unweighted = true};
    struct table_edges edges;
    CHECK_OK(edges_of(&edges, wide));
    CHECK(edges.count == 2 && edges.nodes == 3 && edges.weight[1] == .5f);
    CHECK(strstr(edges.reading, "left out: `year`, `note`") && edges.header && edges.left_out &&
          strcmp(names_text(edges.names, 2), "cem") == 0);
    table_edges_clear(&edges);
    CHECK_OK(table_edges_read(&edges, "e.txt", wide, sizeof wide - 1, &yes));
    CHECK(edges.count == 2 && edges.weight[0] == 2);
    table_edges_clear(&edges);
    CHECK_OK(table_edges_read(&edges, "e.txt", wide, sizeof wide - 1, &unweighted));
    CHECK(edges.count == 2 && !edges.weight && edges.order[2] == 3);
    table_edges_clear(&edges);
    CHECK_FAILS(table_edges_read(&edges, "e.txt", wide, sizeof wide - 1, &no), GRACO_ERROR_FORMAT,
                "5 columns and no header that names source");
    hostile_truncate(decode, (const uint8_t *)wide, (int64_t)sizeof wide - 1);
    hostile_corrupt(decode, (const uint8_t *)wide, (int64_t)sizeof wide - 1);
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"one,two,weight,year\na,b,1,2\n", "--source one --target two"},
        {"source,year,weight,kind\na,b,1,2\n", "none are called as ends are"},
        {"source,target,src,year\na,b,1,2\n", "several pairs may be the ends"},
        {"source,target,weight,w\na,b,1,2\n", "columns 3 and 4 are both called as weights are"},
        {"source,target,weight,year\na,b,1\n", "line 2: 3 fields found, 4 are expected"},
        {"source,target,weight,year\na,b,1,2,3\n", "line 2: 5 fields found, 4 are expected"},
        {"source,target,weight,year\na,,1,2\n", "line 2: an id is empty"},
        {"year,source,target,weight\n2,a,b,x\n", "the field of column 4 \"x\" is no weight"},
        {"year,source,target,weight\n2,a,b,\n", "the field of column 4 \"\" is no weight"},
        {"year,source,target,weight\n2,a,b,-1\n", "a finite number above 0"},
        {"source,target,weight,year\n", "holds no edges below its first line"},
        {"source,target,x,year\na,source,1,2\n", "may be a header or an edge"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(edges_of(&edges, wrong[i].text), GRACO_ERROR_FORMAT, wrong[i].message);
}

/* A table of labels may have further columns if its header names the two, as predictions have. */
static void test_wide_labels(void)
{
    struct table_labels labels;
    static const char wide[] = "p,node,\"class\",q\n.5,a,\"x \"\"1\"\"\",\n.1,\"a\"\"\",y,2\n";
    CHECK_OK(labels_of(&labels, wide));
    CHECK(labels.count == 2 && labels.id_column == 2 && labels.header && labels.classes == 2);
    CHECK(strcmp(names_text(labels.ids, 1), "a\"") == 0 && labels.label[0] == 0 &&
          strcmp(names_text(labels.labels, 0), "x \"1\"") == 0);
    table_labels_clear(&labels);
    const struct table_options p = {.id_column = "p"}, first = {.id_column = "1"},
                               no = {.header = TABLE_HEADER_NO}, third = {.id_column = "3"};
    CHECK_OK(table_labels_read(&labels, "l", wide, sizeof wide - 1, &p));
    CHECK(labels.id_column == 1 && strcmp(names_text(labels.ids, 0), ".5") == 0);
    table_labels_clear(&labels);
    CHECK_OK(table_labels_read(&labels, "l", wide, sizeof wide - 1, &first));
    CHECK(labels.id_column == 1 && labels.count == 2);
    table_labels_clear(&labels);
    CHECK_FAILS(table_labels_read(&labels, "l", wide, sizeof wide - 1, &no), GRACO_ERROR_FORMAT,
                "line 1: 4 fields");
    CHECK_FAILS(table_labels_read(&labels, "l", wide, sizeof wide - 1, &third), GRACO_ERROR_FORMAT,
                "a header must name the two");
    CHECK_FAILS(labels_of(&labels, "node,class,node\na,x,b\n"), GRACO_ERROR_FORMAT, "line 1");
    CHECK_FAILS(labels_of(&labels, "a,b,c\na,x,b\n"), GRACO_ERROR_FORMAT, "line 1: 3 fields");
    CHECK_FAILS(labels_of(&labels, "node,class,p\na,x\n"), GRACO_ERROR_FORMAT, "line 2: 2 fields");
    CHECK_FAILS(labels_of(&labels, "node,class,p\n,x,1\n"), GRACO_ERROR_FORMAT, "an id is empty");
    hostile_truncate(decode, (const uint8_t *)wide, (int64_t)sizeof wide - 1);
    hostile_corrupt(decode, (const uint8_t *)wide, (int64_t)sizeof wide - 1);
}

/* The column without a name in which a data frame numbers its rows: left out beside ids, else the ids. */
static void test_frames(void)
{
    struct table_labels labels;
    struct table_numbers numbers;
    CHECK_OK(labels_of(&labels, ",node,label\n0,b,x\n1,a,y\n"));
    CHECK(labels.id_column == 2 && labels.count == 2 && labels.header);
    CHECK(strcmp(names_text(labels.ids, 0), "b") == 0);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, "\"\",\"label\",\"p\",\"id\"\r\n0,x,,1\r\n1,y,.5,0\r\n"));
    CHECK(labels.id_column == 4 && strcmp(names_text(labels.ids, 0), "1") == 0);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, ",label\n1,x\n0,y\n"));
    CHECK(labels.id_column == 1 && labels.header && strcmp(names_text(labels.ids, 0), "1") == 0);
    table_labels_clear(&labels);
    CHECK_OK(labels_of(&labels, ",label,p\n1,x,1\n0,y,1\n"));
    CHECK(labels.id_column == 1 && labels.header && strcmp(names_text(labels.ids, 0), "1") == 0);
    table_labels_clear(&labels);
    CHECK_FAILS(labels_of(&labels, ",node,label\n1,b,x\n0,a,y\n"), GRACO_ERROR_FORMAT,
                "columns 1 and 2 both may be ids");
    CHECK_FAILS(labels_of(&labels, ",node,id,label\n0,b,1,x\n"), GRACO_ERROR_FORMAT, "line 1");
    static const char unlike[] = ",node,label\n4,b,x\n2,a,y\n";
    CHECK_OK(table_labels_read(&labels, "l", unlike, sizeof unlike - 1,
                               &(struct table_options){.id_column = "node"}));
    CHECK(labels.id_column == 2);
    table_labels_clear(&labels);

    CHECK_OK(numbers_of(&numbers, ",node,a,b\n0,y,1,2\n1,x,3,4\n", TABLE_IDS_AUTO));
    CHECK(numbers.cols == 2 && numbers.rows == 2 && numbers.data[0] == 1 && numbers.data[3] == 4);
    CHECK(numbers.id_column == 2 && strcmp(names_text(numbers.ids, 0), "y") == 0);
    table_numbers_clear(&numbers);
    CHECK_OK(numbers_of(&numbers, ",a,id\n0,1.5,1\n1,3,0\n", TABLE_IDS_FIRST));
    CHECK(numbers.cols == 1 && numbers.data[0] == 1.5f && numbers.id_column == 3);
    table_numbers_clear(&numbers);
    CHECK_OK(numbers_of(&numbers, ",a,b\n1,1,2\n0,3,4\n", TABLE_IDS_AUTO));
    CHECK(numbers.cols == 2 && numbers.id_column == 1);
    table_numbers_clear(&numbers);
    CHECK_FAILS(numbers_of(&numbers, ",node,a\n1,y,1\n0,x,3\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT,
                "columns 1 and 2 both may be ids");
    CHECK_FAILS(numbers_of(&numbers, ",node,id,a\n0,y,1,1\n1,x,2,3\n", TABLE_IDS_AUTO),
                GRACO_ERROR_FORMAT, "columns 1 and 2 both may be ids");
    CHECK_FAILS(numbers_of(&numbers, ",node,a\n0,y,1\n1,x\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT,
                "line 3: 0 numbers found, 1 expected");
    CHECK_FAILS(numbers_of(&numbers, ",node\n0,y\n1,x\n", TABLE_IDS_AUTO), GRACO_ERROR_FORMAT,
                "holds no numbers");
}

int main(void)
{
    test_wide_edges();
    test_wide_labels();
    test_frames();
    return check_result();
}
