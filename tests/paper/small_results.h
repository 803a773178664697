/* A small results.json with every part of the format, for tests that cut and change it. */
#ifndef TESTS_PAPER_SMALL_RESULTS_H
#define TESTS_PAPER_SMALL_RESULTS_H

#define SMALL_SAMPLES                                                                              \
    "{\"key\":\"cora dgi\",\"set\":\"cora\",\"seed\":0,\"scores\":[80,81.5]},"                     \
    "{\"key\":\"cora grace\",\"set\":\"cora\",\"method\":\"grace\",\"seed\":1,\"source\":"         \
    "\"data\",\"quick\":true,\"metric\":\"accuracy\",\"split_seed\":0,\"scores\":[83,82.5],"       \
    "\"values\":{\"loss\":1.25,\"gap\":null},"                                                     \
    "\"curve\":{\"epoch\":[1,2,3],\"loss\":[3,2.5,2],\"mutual_information\":[null,1,2]},"          \
    "\"points\":{\"x\":[0,1,2],\"y\":[0,-1,1],\"class\":[\"b\",\"a\",\"b\"]}},"                    \
    "{\"key\":\"cora grace\",\"set\":\"cora\",\"seed\":0,\"scores\":[82,81]}"

#define SMALL_TABLE                                                                                \
    "{\"name\":\"main\",\"title\":\"Main\",\"kind\":\"table\",\"about\":\"x\",\"rows\":["          \
    "\"GRACE\","                                                                                   \
    "\"DGI\"],\"columns\":[\"Cora\"],\"cells\":[{\"row\":0,\"column\":0,\"key\":\"cora grace\","   \
    "\"value\":\"scores\",\"paper\":83.3,\"paper_deviation\":0.4,\"state\":\"run\",\"note\":\"\"}" \
    ","                                                                                            \
    "{\"row\":1,\"column\":0,\"key\":\"cora dgi\",\"paper\":82.6,\"state\":\"quoted\"}]}"

#define SMALL_ITEMS                                                                                \
    SMALL_TABLE                                                                                    \
    ",{\"name\":\"grid\",\"kind\":\"grid\",\"x\":{\"label\":\"p1\",\"ticks\":[0.1,0.2]},\"y\":"    \
    "{\"label\":\"p2\",\"ticks\":[0.1]},\"cells\":[{\"x\":1,\"y\":0,\"key\":\"cora grace\"}]},"    \
    "{\"name\":\"lines\",\"kind\":\"lines\",\"panels\":[{\"title\":\"Cora\",\"x\":{\"label\":"     \
    "\"share\",\"ticks\":[0.5,0.9]},\"lines\":[{\"label\":\"GRACE\",\"cells\":[{\"x\":0,"          \
    "\"key\":\"cora grace\",\"value\":\"loss\"},{\"x\":1,\"key\":\"cora grace\"}]}]}]},"           \
    "{\"name\":\"facts\",\"kind\":\"facts\",\"columns\":[\"set\",\"n\"],\"rows\":[[\"c\",2.5],"    \
    "[null,\"3\"]]}"

#define SMALL_CLAIMS                                                                               \
    "\"claims\":[{\"text\":\"c\",\"better\":[\"cora grace\"],\"worse\":[\"cora dgi\"]}],"          \
    "\"explanations\":[{\"key\":\"cora grace\",\"text\":\"e\"}]"

#define SMALL_HEAD                                                                                 \
    "{\"format\":1,\"graco\":\"0.1.0\",\"made\":{\"quick\":false,\"device\":\"cpu\",\"machine\":"  \
    "\"m\",\"runs\":2,\"splits\":2},"

#define SMALL_RESULTS                                                                              \
    SMALL_HEAD "\"samples\":[" SMALL_SAMPLES "],\"items\":[" SMALL_ITEMS "]," SMALL_CLAIMS "}"

#endif
