/* A small results.json with every part of the format, for tests that cut and change it. What older files have beside
 * samples is ignored. */
#ifndef TESTS_PAPER_SMALL_RESULTS_H
#define TESTS_PAPER_SMALL_RESULTS_H

#define SMALL_SAMPLES                                                                              \
    "{\"key\":\"cora dgi\",\"set\":\"cora\",\"seed\":0,\"scores\":[80,81.5]},"                     \
    "{\"key\":\"cora grace\",\"set\":\"cora\",\"method\":\"grace\",\"seed\":1,\"source\":"         \
    "\"data\",\"quick\":true,\"metric\":\"accuracy\",\"split_seed\":0,\"scores\":[83,82.5],"       \
    "\"overrides\":{},\"values\":{\"loss\":1.25,\"gap\":null},"                                    \
    "\"curve\":{\"epoch\":[1,2,3],\"loss\":[3,2.5,2],\"mutual_information\":[null,1,2]},"          \
    "\"points\":{\"x\":[0,1,2],\"y\":[0,-1,1],\"class\":[1,0,1]}},"                                \
    "{\"key\":\"cora grace\",\"set\":\"cora\",\"seed\":0,\"scores\":[82,81]},"                     \
    "{\"key\":\"cora dataset\",\"method\":\"dataset\",\"seed\":0,\"values\":{\"nodes\":2708,"      \
    "\"edges\":10556,\"self_loops\":0,\"duplicates\":302,\"features\":1433,\"classes\":7,"         \
    "\"graphs\":1}}"

#define SMALL_HEAD                                                                                 \
    "{\"format\":1,\"graco\":\"0.1.0\",\"items\":[{\"name\":\"main\"}],\"made\":{\"quick\":false," \
    "\"device\":\"cpu\",\"machine\":\"m\",\"runs\":2,\"splits\":2},"

#define SMALL_RESULTS SMALL_HEAD "\"samples\":[" SMALL_SAMPLES "]}"

#endif
