/* Which columns of a table are the ends of its edges, by their names. */
#include "check.h"

enum { COLUMNS = 9 };

/* The columns of "a,b,c"; `text` is cut up. */
static int64_t cut(const char *columns[COLUMNS], char *text)
{
    int64_t count = 0;
    for (char *at = text; at; count++) {
        columns[count] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    return count;
}

static graco_status ends_of(graco_ends *ends, const char *header, const graco_ends_options *options)
{
    char text[256];
    const char *columns[COLUMNS];
    snprintf(text, sizeof text, "%s", header);
    return graco_table_ends(ends, columns, cut(columns, text), options);
}

/* Names that tell the ends, and which columns they are; -1: no weights. */
static void test_known(void)
{
    static const struct {
        const char *header;
        int source, target, weight, left_out;
    } known[] = {
        {"a,b", 0, 1, -1, 0},
        {"target,source", 1, 0, -1, 0},
        {"to,customer", 1, 0, -1, 0},
        {"customer,from", 1, 0, -1, 0},
        {"to_account,from_account", 1, 0, -1, 0},
        {"tail,head", 0, 1, -1, 0},
        {"v,w", 0, 1, -1, 0},
        {"a,b,weight", 0, 1, 2, 0},
        {"w,a,b", 1, 2, 0, 0},
        {"edge_weight,a,b", 1, 2, 0, 0},
        {"head,relation,tail", 0, 2, -1, 1},
        {"subject,predicate,object", 0, 2, -1, 1},
        {"object,predicate,subject", 2, 0, -1, 1},
        {"u,v,w,t", 0, 1, 2, 1},
        {"time,SRC,Dst,amount", 1, 2, -1, 2},
        {"sourceId,x,destination_id", 0, 2, -1, 1},
        {"source,from_account,to_account,target", 0, 3, -1, 2},
        {"amount,from_account,to_account", 1, 2, -1, 1},
        {"Amount,To Account,From Account", 2, 1, -1, 1},
        {"amount,fromAccount,toAccount", 1, 2, -1, 1},
        {"amount,account_from,account_to", 1, 2, -1, 1},
        {"valid_from,valid_to,protein1,protein2,score", 2, 3, -1, 3},
        {"timestamp,customer_id,product_id", 1, 2, -1, 1},
        {"id,productId,customerId,weight", 1, 2, 3, 1},
        {"node_1,node_2,since", 0, 1, -1, 1},
    };
    graco_ends ends;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK_OK(ends_of(&ends, known[i].header, NULL));
        CHECK(ends.source == known[i].source && ends.target == known[i].target);
        CHECK(ends.weight == known[i].weight && ends.left_out == known[i].left_out);
    }
    CHECK_OK(ends_of(&ends, "head,relation,tail,w", NULL));
    CHECK(strcmp(ends.reading, "edges from `head` to `tail`; weights `w`; left out: `relation`") ==
          0);
}

/* Names that do not tell, and what the message proposes. */
static void test_refused(void)
{
    static const struct {
        const char *header, *message;
    } refused[] = {
        {"timestamp,customer,product",
         "t.csv has the columns `timestamp`, `customer`, `product`, of which none are called as "
         "ends "
         "are: name the two, such as --source customer --target product"},
        {"customer,product,amount", "such as --source customer --target product"},
        {"my node,product,amount", "such as --source \"my node\" --target product"},
        {"amount,price,customer", "--source customer --target amount"},
        {"amount,price,value", "--source amount --target price"},
        {"from_a,to_a,from_b,to_b", "several pairs"},
        {"source,src,target", "several pairs"},
        {"source,target,subject,object", "several pairs"},
        {"source,src", "both called as sources are"},
        {"to,target", "both called as targets are"},
        {"from_a,to_b,c", "none are called as ends are"},
        {"valid_from,valid_to,c", "none are called as ends are"},
        {"x1,x2,c", "none are called as ends are"},
        {"a_id,b_id,c_id", "none are called as ends are"},
        {"id,b_id,c", "none are called as ends are"},
        {"u,u,c", "none are called as ends are"},
        {"source,c,d", "none are called as ends are"},
        {"a,b,weight,w", "columns 3 and 4 are both called as weights are: --weight says which"},
        {"a,weight", "2 columns, one of them of weights: expected two"},
        {"a", "1 column: expected two"},
    };
    graco_ends ends;
    const graco_ends_options options = {.table = "t.csv"}, python = {.python = true};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK_FAILS(ends_of(&ends, refused[i].header, &options), GRACO_ERROR_FORMAT,
                    refused[i].message);
    CHECK_FAILS(ends_of(&ends, "day,customer,product", &python), GRACO_ERROR_FORMAT,
                "such as Graph(..., source='customer', target='product')");
    CHECK_FAILS(ends_of(&ends, "a,b,c,d,e,f,g,h,i", &options), GRACO_ERROR_FORMAT,
                "`h`, ... (9), of");
}

static void test_given(void)
{
    graco_ends ends;
    const graco_ends_options names = {.source = "product",
                                      .target = "CUSTOMER",
                                      .weight = "amount"},
                             numbers = {.source = "3", .target = "1"}, source = {.source = "b"},
                             target = {.target = "b"}, weight = {.weight = "c"},
                             none = {.source = "x"}, beyond = {.source = "4"},
                             same = {.source = "a", .target = "1"};
    CHECK_OK(ends_of(&ends, "day,customer,product,amount", &names));
    CHECK(ends.source == 2 && ends.target == 1 && ends.weight == 3 && ends.left_out == 1);
    CHECK_OK(ends_of(&ends, "a,b,c", &numbers));
    CHECK(ends.source == 2 && ends.target == 0 && ends.weight == -1 && ends.left_out == 1);
    CHECK_OK(ends_of(&ends, "9,3,1", &numbers)); /* names before numbers */
    CHECK(ends.source == 1 && ends.target == 2 && ends.left_out == 1);
    CHECK_OK(ends_of(&ends, "a,b", &source));
    CHECK(ends.source == 1 && ends.target == 0);
    CHECK_OK(ends_of(&ends, "a,b", &target));
    CHECK(ends.source == 0 && ends.target == 1);
    CHECK_OK(ends_of(&ends, "a,b,weight", &source));
    CHECK(ends.source == 1 && ends.target == 0 && ends.weight == 2);
    CHECK_OK(ends_of(&ends, "a,to,b", &source));
    CHECK(ends.source == 2 && ends.target == 1 && ends.left_out == 1);
    CHECK_OK(ends_of(&ends, "from,to,b", &target));
    CHECK(ends.source == 0 && ends.target == 2);
    CHECK_OK(ends_of(&ends, "a,b,c", &weight));
    CHECK(ends.source == 0 && ends.target == 1 && ends.weight == 2);
    CHECK_OK(
        ends_of(&ends, "a,b,weight,c", &(graco_ends_options){.source = "weight", .target = "a"}));
    CHECK(ends.source == 2 && ends.weight == -1);
    CHECK_FAILS(ends_of(&ends, "a,b,c", &source), GRACO_ERROR_FORMAT, "only the source is named");
    CHECK_FAILS(ends_of(&ends, "a,b,c", &target), GRACO_ERROR_FORMAT, "only the target is named");
    CHECK_FAILS(
        ends_of(&ends, "a,b,c", &none), GRACO_ERROR_ARGUMENT,
        "no column is called 'x' (source): expected one of `a`, `b`, `c`, or a number from 1 to 3");
    CHECK_FAILS(ends_of(&ends, "a,b,c", &beyond), GRACO_ERROR_ARGUMENT, "no column is called '4'");
    CHECK_FAILS(ends_of(&ends, "a,b,c", &same), GRACO_ERROR_ARGUMENT,
                "column `a` is both source and target");
    CHECK_FAILS(ends_of(&ends, "b,a,b", &source), GRACO_ERROR_ARGUMENT,
                "columns 1 and 3 are both called 'b' (source): expected the number of one");
    CHECK_OK(ends_of(&ends, "B,b,weight", &source)); /* the same letters before any case */
    CHECK(ends.source == 1 && ends.target == 0);
}

/* Long names, many names, and names that are cut within a letter. */
static void test_hostile(void)
{
    enum { MANY = 200 };
    static char texts[MANY][8], name[300];
    static const char *columns[MANY];
    graco_ends ends;
    for (int c = 0; c < MANY; c++) {
        snprintf(texts[c], sizeof texts[c], "from%c%c", 'a' + c / 26, 'a' + c % 26);
        columns[c] = texts[c];
    }
    memset(name, 'x', sizeof name - 1);
    for (int i = 39; i < 299; i += 2)
        memcpy(name + i, "\xc3\xa4", i < 298 ? 2 : 1);
    name[298] = '\0';
    columns[0] = name;
    columns[1] = "";
    CHECK_OK(graco_table_ends(&ends, columns, 2, NULL));
    CHECK(ends.source == 0 && strstr(ends.reading, "? to ") == NULL &&
          strstr(ends.reading, "?` to ``"));
    for (int c = 0; c < MANY; c++) {
        snprintf(texts[c], sizeof texts[c], "from_%c%c", 'a' + c / 26, 'a' + c % 26);
        columns[c] = texts[c];
    }
    CHECK_FAILS(graco_table_ends(&ends, columns, MANY, NULL), GRACO_ERROR_FORMAT, "several pairs");
    CHECK_FAILS(graco_table_ends(&ends, columns, 60, NULL), GRACO_ERROR_FORMAT, "none are called");
}

int main(void)
{
    test_known();
    test_refused();
    test_given();
    test_hostile();
    return check_result();
}
