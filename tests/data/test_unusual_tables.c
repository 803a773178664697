/* Tables as people have them: each is read right or refused, as the table in docs/formats.md says. */
#include "data/dataset.h"

#include "check.h"
#include "data/small_files.h"
#include "io/tables/column_cells.h"

#include <math.h>

#define PLAIN "0 1\n1 2\n2 3\n"
#define NAMED "ann,bob\nbob,cem\ncem,ann\n"

static const struct {
    const char *edges, *features; /* features NULL: there are none */
    const char *message;          /* NULL: it is read, */
    int64_t nodes, pairs, cols;   /* with so many nodes, edges both ways together, features */
    const char *note;             /* and a note holds this */
} CASES[] = {
    /* Edges: headers. */
    {"customer,product\nann,tea\nbob,milk\n", NULL, "may be a header or an edge", 0, 0, 0, NULL},
    {"customer,product\n1,tea\n2,milk\n", NULL, NULL, 4, 2, 0, "from `customer` to `product`"},
    {"customer,product\nC1,P1\nC2,P2\nC3,P1\n", NULL, NULL, 5, 3, 0, "; header"},
    {"C1,P1\nC2,P2\nC3,P3\n", NULL, NULL, 6, 3, 0, "no header"},
    {"ann,tea\nbob,milk\nbob,tea\n", NULL, NULL, 4, 3, 0, "no header"},
    {"source,target\nsource,a\na,b\n", NULL, "may be a header or an edge", 0, 0, 0, NULL},
    {"id\n1\n2\n", NULL, "1 fields found, two ids", 0, 0, 0, NULL},
    {",customer,product\n0,ann,tea\n1,bob,milk\n", NULL, NULL, 4, 2, 0, "row numbers, left out"},
    /* Edges: columns. */
    {"head,relation,tail\na,likes,b\nb,owns,c\n", NULL, NULL, 3, 2, 0, "left out: `relation`"},
    {"a,likes,b\nb,likes,c\n", NULL, "such as --source 1 --target 3", 0, 0, 0, NULL},
    {"time,customer,product\n1,a,b\n2,b,c\n", NULL, "--source customer --target product", 0, 0, 0,
     NULL},
    {"time,from_account,to_account,amount\n1,A,B,5\n2,B,C,7\n", NULL, NULL, 3, 2, 0,
     "left out: `time`, `amount`"},
    {"order_id,customer_id,product_id\n1,2,3\n4,5,6\n", NULL, "none are called as ends", 0, 0, 0,
     NULL},
    {"weight,customer_id,product_id\n1,2,3\n4,5,6\n", NULL, NULL, 7, 2, 0, "weights `weight`"},
    {"source,target,source\na,b,c\n", NULL, "several pairs", 0, 0, 0, NULL},
    {"source,target,weight,weight\na,b,1,2\n", NULL, "both called as weights", 0, 0, 0, NULL},
    {"source,target,weight\na,b,1\na,b,2\n", NULL, NULL, 2, 1, 0, "1 row repeats an edge"},
    {"source,target,amount\na,b,12 kg\nb,c,3 kg\n", NULL, NULL, 3, 2, 0, "left out: `amount`"},
    {"source,target,weight\na,b,12 kg\nb,c,3 kg\n", NULL, "\"12 kg\" is no weight", 0, 0, 0, NULL},
    {"source,target\na,\nb,c\n", NULL, "a field is empty", 0, 0, 0, NULL},
    {"source,target,x\na,,1\nb,c,2\n", NULL, "an id is empty", 0, 0, 0, NULL},
    /* Edges: bytes. */
    {"\xef\xbb\xbfsource;target\r\n1;2\r\n2;0\r\n", NULL, NULL, 3, 2, 0, "; header"},
    {"a b 1,5\nb c 2,5\n", NULL, "needs a point", 0, 0, 0, NULL},
    {"source;target;weight\na;b;1,5\nb;c;2,5\n", NULL, "\"1,5\" is no weight", 0, 0, 0, NULL},
    {"0,1.0\n1,2.0\n", NULL, "both '1' and '1.0'", 0, 0, 0, NULL},
    {"\"Smith, J.\",\"the \"\"x\"\"\"\nb,\"Smith, J.\"\n", NULL, NULL, 3, 2, 0, "no header"},
    /* Features: gaps written in nine ways, and more. */
    {PLAIN, "id,age\n0,1\n1,\n2,NA\n3,4\n", NULL, 4, 3, 2, "`age` standardised with gaps"},
    {PLAIN, "id,age\n0,1\n1,NaN\n2,null\n3,4\n", NULL, 4, 3, 2, "`age` standardised with gaps"},
    {PLAIN, "id,age\n0,1\n1,N/A\n2,#N/A\n3,4\n", NULL, 4, 3, 2, "`age` standardised with gaps"},
    {PLAIN, "id,age\n0,1\n1,None\n2,<NA>\n3,4\n", NULL, 4, 3, 2, "`age` standardised with gaps"},
    {PLAIN, "id,age\n0,1\n1,-\n2,?\n3,4\n", NULL, 4, 3, 2, "`age` standardised with gaps"},
    {PLAIN, "id,age,x\n0,,1\n1,NA,2\n2,,1\n3,,2\n", NULL, 4, 3, 2,
     "`age` constant, left out with gaps"},
    {PLAIN, "id,age\n0,1\n1,inf\n2,3\n3,4\n", "finite number", 0, 0, 0, NULL},
    /* Features: words, dates, truth values. */
    {PLAIN, "id,kind\n0,a\n1,b\n2,a\n3,b\n", NULL, 4, 3, 2, "`kind` 2 words"},
    {PLAIN, "kind,age\na,1\nb,2\na,3\nb,4\n", NULL, 4, 3, 3, "order of the nodes; 2 columns"},
    {PLAIN, "a,1,x\nb,2,y\na,3,x\nb,4,y\n", NULL, 4, 3, 5, "no header"},
    {PLAIN, "colour,shape\nred,round\nblue,square\ngreen,flat\nblack,long\n",
     "may be a header or the features of a node", 0, 0, 0, NULL},
    {PLAIN, "id,day\n0,2024-02-29\n1,2024-03-01\n2,2024/03/02\n3,2024-03-03T12:00:00Z\n", NULL, 4,
     3, 1, "`day` standardised"},
    {PLAIN, "id,day\n0,3/4/2024\n1,4/5/2024\n2,5/6/2024\n3,6/7/2024\n",
     "expected dates as 2024-03-31", 0, 0, 0, NULL},
    {PLAIN, "id,vip\n0,yes\n1,no\n2,TRUE\n3,false\n", NULL, 4, 3, 1, NULL},
    /* Features: numbers that need care. */
    {PLAIN, "id;price\n0;1,5\n1;2,5\n2;3\n3;4,25\n", "without commas", 0, 0, 0, NULL},
    {PLAIN, "id,price\n0,\"1,000\"\n1,\"2,500\"\n2,3\n3,4\n", "without commas", 0, 0, 0, NULL},
    {PLAIN, "id,age\n0,1\n1,2\n2,12 kg\n3,4\n", "line 4: column `age` has \"12 kg\"", 0, 0, 0,
     NULL},
    {PLAIN, "id,a,b\n0,1,1000\n1,2,3000\n2,3,2000\n3,5,9000\n", NULL, 4, 3, 2,
     "`a` standardised, `b` standardised"},
    {PLAIN, "id,a,b\n0,1,10\n1,2,30\n2,3,20\n3,5,90\n", NULL, 4, 3, 2, "2 features; header"},
    {PLAIN, "id,a,a\n0,1,x\n1,2,y\n2,3,x\n3,5,y\n", "two columns are called `a`", 0, 0, 0, NULL},
    {PLAIN, "id,one,kind\n0,7,a\n1,7,b\n2,7,a\n3,7,b\n", NULL, 4, 3, 2, "`one` constant, left out"},
    /* Features: names of nodes. */
    {NAMED, "name,kind\ncem,x\nann,y\nbob,x\n", NULL, 3, 3, 2, "column 1 `name` names nodes"},
    {NAMED, "kind,name\nx,cem\ny,ann\nx,bob\n", NULL, 3, 3, 2, "column 2 `name` names nodes"},
    {NAMED, ",name,kind\n0,cem,x\n1,ann,y\n2,bob,x\n", NULL, 3, 3, 2, "row numbers, left out"},
    {NAMED, "name,kind\ncem,x\nann,y\nann,x\n", "\"ann\" is repeated", 0, 0, 0, NULL},
    {NAMED, "name,kind\ncem,x\nann,y\n", "has no row for node 'bob'", 0, 0, 0, NULL},
    {NAMED, "name,kind\ncem,x\nann\nbob,x\n", "line 3: 1 fields found, 2 are expected", 0, 0, 0,
     NULL},
    {"a\tb\nb\tc\na\tc\n", "id\tcity\na\tNew York\nb\tRome\nc\tRome\n", NULL, 3, 3, 2,
     "`city` 2 words"},
};

static void test_cases(void)
{
    char edges[256], features[256], notes[4096];
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        graco_dataset *data = NULL;
        snprintf(edges, sizeof edges, "%s", fixture_path("e.csv"));
        fixture_text("e.csv", CASES[i].edges);
        snprintf(features, sizeof features, "%s", fixture_path("x.csv"));
        if (CASES[i].features)
            fixture_text("x.csv", CASES[i].features);
        const graco_load_options options = {.features_path = CASES[i].features ? features : NULL};
        graco_status status = graco_dataset_load(&data, edges, &options);
        if (CASES[i].message) {
            CHECK(status != GRACO_OK && strstr(graco_message(), CASES[i].message));
        } else if (status != GRACO_OK) {
            CHECK(status == GRACO_OK);
        } else {
            graco_dataset_info info = graco_dataset_describe(data);
            CHECK(info.nodes == CASES[i].nodes && info.edges == 2 * CASES[i].pairs &&
                  info.feature_count == CASES[i].cols);
            *notes = '\0';
            for (int n = 0; graco_dataset_note(data, n); n++)
                strncat(notes, graco_dataset_note(data, n), sizeof notes - strlen(notes) - 1);
            CHECK(!CASES[i].note || strstr(notes, CASES[i].note));
        }
        if ((status != GRACO_OK) != !!CASES[i].message)
            fprintf(stderr, "case %zu: %s%s\n", i, CASES[i].edges,
                    CASES[i].features ? CASES[i].features : "");
        graco_dataset_free(data);
    }
}

/* Days since 1970 and the time of day. */
static void test_dates(void)
{
    static const struct {
        const char *text;
        double days;
    } dates[] = {{"1970-01-01", 0},
                 {"1970-01-02T06:00", 1.25},
                 {"1969-12-31 18:00:00", -0.25},
                 {"2000-03-01", 11017},
                 {"2000-02-29", 11016},
                 {"1900-03-01", -25508},
                 {"1970/1/1", 0},
                 {"1970-01-01T02:00:00+02:00", 0},
                 {"1970-01-01T02:00:00-0530", 7.5 / 24},
                 {"1970-01-01 00:00:43.2Z", 0.0005}};
    static const char *const others[] = {"2024-13-01",  "2024-1-32",        "2024-01/02",
                                         "2024-01-02x", "2024-01-02 25:00", "2024-01",
                                         "24-01-02x",   "2024-01-02T"};
    double value;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        struct scan_field field = {dates[i].text, (int64_t)strlen(dates[i].text), false};
        CHECK(cell_read(&value, field) == CELL_DATE && fabs(value - dates[i].days) < 1e-9);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct scan_field field = {others[i], (int64_t)strlen(others[i]), false};
        CHECK(cell_read(&value, field) == CELL_WORD);
    }
}

/* Rows that stand in any order are those of the nodes; so are words and gaps. */
static void test_order(void)
{
    graco_dataset *a = NULL, *b = NULL;
    char features[256];
    snprintf(features, sizeof features, "%s", fixture_path("x.csv"));
    const graco_load_options options = {.features_path = features};
    fixture_text("e.csv", PLAIN);
    fixture_text("x.csv", "id,kind,age\n0,a,1\n1,b,\n2,,3\n3,a,5\n");
    CHECK_OK(graco_dataset_load(&a, fixture_path("e.csv"), &options));
    fixture_text("x.csv", "id,kind,age\n2,,3\n3,a,5\n1,b,\n0,a,1\n");
    CHECK_OK(graco_dataset_load(&b, fixture_path("e.csv"), &options));
    CHECK(a->features.cols == 5 && b->features.cols == 5);
    CHECK(memcmp(a->features.dense, b->features.dense, 20 * sizeof(float)) == 0);
    CHECK(a->features.dense[5 + 1] == 1 && a->features.dense[5 + 4] == 1); /* b, and its gap */
    graco_dataset_free(a);
    graco_dataset_free(b);
}

int main(void)
{
    test_cases();
    test_dates();
    test_order();
    return check_result();
}
