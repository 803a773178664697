/* What `auto` comes to, by the size of a graph and nothing else: the same on every machine. */
#include "fixture.h"
#include "train/made.h"

#include "data/node_features.h"

/* Settings of grace that leave all to the size, with others laid over them, resolved for a graph of so many nodes. */
static graco_config resolved(const graco_dataset *data, const char *settings, bool ranks,
                             char why[RESOLVED_WHY])
{
    const struct method *method = NULL;
    graco_config config;
    CHECK_OK(method_find(&method, "grace"));
    method_configure(&config, method, NULL);
    CHECK_OK(config_apply(&config,
                          "encoder=sage_skip objective=auto parts=auto width=auto epochs=auto"));
    CHECK_OK(config_apply(&config, settings));
    made_resolve(&config, data, ranks, why);
    CHECK(config.objective != OBJECTIVE_AUTO && config.width >= 0 && config.epochs > 0 &&
          !(config.parts & PARTS_AUTO));
    return config;
}

enum { ALL_PARTS = PARTS_LEARNED | PARTS_OWN | PARTS_SMOOTH };

static void sizes(void)
{
    char why[RESOLVED_WHY];
    graco_dataset *small = fixture_data(.nodes = 300, .feature_count = 40);
    graco_dataset *middle = fixture_data(.nodes = 3000, .feature_count = 40);
    graco_dataset *large = fixture_data(.nodes = 12000, .feature_count = 40);
    graco_dataset *huge = fixture_data(.nodes = 130000, .feature_count = 40, .degree = 3);
    graco_config c = resolved(small, "", false, why);
    CHECK(c.objective == OBJECTIVE_EXACT && c.width == 512 && c.epochs == 300 && *why);
    CHECK(c.parts == ALL_PARTS && c.batch == 0);
    c = resolved(middle, "", false, why);
    CHECK(c.objective == OBJECTIVE_MOMENT && c.width == 512 && c.epochs == 300 && *why);
    c = resolved(large, "", false, why);
    CHECK(c.objective == OBJECTIVE_MOMENT && c.width == 0 && c.epochs == 500); /* as hidden */
    c = resolved(large, "hidden=32", false, why);
    CHECK(c.width == 256 && c.hidden == 32);
    c = resolved(huge, "", false, why);
    CHECK(c.objective == OBJECTIVE_EXACT && c.batch == 1024 && c.fanout[0] == 10);
    CHECK(c.epochs >= 6 && c.epochs <= 12); /* about 1,200 steps */
    c = resolved(huge, "", true, why);      /* ranks: of whole graphs, what an encoder learned */
    CHECK(c.objective == OBJECTIVE_MOMENT && c.batch == 0 && c.parts == PARTS_LEARNED &&
          c.width == 0);
    CHECK(c.epochs < 300);
    /* What was said stays. */
    c = resolved(middle, "objective=infonce width=24 epochs=7 parts=learned,own", false, why);
    CHECK(c.objective == OBJECTIVE_INFONCE && c.width == 24 && c.epochs == 7);
    CHECK(c.parts == (PARTS_LEARNED | PARTS_OWN) && !*why);
    c = resolved(huge, "objective=moment", false, why);
    CHECK(c.objective == OBJECTIVE_MOMENT && c.batch == 0);
    c = resolved(middle, "batch=64", false, why);
    CHECK(c.objective == OBJECTIVE_EXACT && c.batch == 64);
    graco_dataset_free(small);
    graco_dataset_free(middle);
    graco_dataset_free(large);
    graco_dataset_free(huge);
}

/* Features that are made of the edges are no part of their own; other methods keep their numbers of epochs. */
static void others(void)
{
    char why[RESOLVED_WHY];
    const struct method *dgi = NULL;
    graco_dataset *bare = fixture_data(.nodes = 300, .feature_count = -1);
    graco_config c = resolved(bare, "", false, why), general;
    CHECK(c.parts == PARTS_LEARNED && c.node_features == NODE_FEATURES_SPECTRAL && c.width == 0);
    CHECK_OK(method_find(&dgi, "dgi"));
    method_configure(&c, dgi, NULL);
    general = c;
    CHECK_OK(config_apply(&c, "epochs=auto width=auto parts=auto"));
    made_resolve(&c, bare, false, why);
    CHECK(c.epochs == general.epochs && c.width == 0 && c.parts == PARTS_LEARNED && !*why);
    graco_dataset_free(bare);
}

int main(void)
{
    sizes();
    others();
    return check_result();
}
