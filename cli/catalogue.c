/* The Planetoid files' hashes are those of the published files. Those of the others are not known here:
 * the first fetch records what it got (sums.h).
 *
 * The paper's links to PPI and Reddit are to https://s3.us-east-2.amazonaws.com/dgl.ai/dataset,
 * which DGL has left for https://data.dgl.ai/dataset since (github.com/pyg-team/pytorch_geometric,
 * issue 2314); the catalogue has the present address. Flickr's authors have it on a drive that gives no
 * plain address, so it comes from DGL too. */
#include "catalogue.h"

#include <stddef.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

static const struct catalogue_file cora[] = {
    {"ind.cora.x", 22119, 22119, "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab",
     NULL},
    {"ind.cora.y", 4054, 4054, "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1",
     NULL},
    {"ind.cora.tx", 148025, 148025,
     "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a", NULL},
    {"ind.cora.ty", 28135, 28135,
     "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad", NULL},
    {"ind.cora.allx", 257305, 257305,
     "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543", NULL},
    {"ind.cora.ally", 47959, 47959,
     "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71", NULL},
    {"ind.cora.graph", 59847, 59847,
     "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d", NULL},
    {"ind.cora.test.index", 5000, 5000,
     "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875", NULL},
    {0},
};

static const struct catalogue_file citeseer[] = {
    {"ind.citeseer.x", 31087, 31087,
     "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6", NULL},
    {"ind.citeseer.y", 3014, 3014,
     "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924", NULL},
    {"ind.citeseer.tx", 260321, 260321,
     "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21", NULL},
    {"ind.citeseer.ty", 24135, 24135,
     "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce", NULL},
    {"ind.citeseer.allx", 595021, 595021,
     "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668", NULL},
    {"ind.citeseer.ally", 55623, 55623,
     "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95", NULL},
    {"ind.citeseer.graph", 61987, 61987,
     "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7", NULL},
    {"ind.citeseer.test.index", 5000, 5000,
     "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4", NULL},
    {0},
};

static const struct catalogue_file pubmed[] = {
    {"ind.pubmed.x", 23172, 23172,
     "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33", NULL},
    {"ind.pubmed.y", 854, 854, "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3",
     NULL},
    {"ind.pubmed.tx", 405505, 405505,
     "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d", NULL},
    {"ind.pubmed.ty", 12135, 12135,
     "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd", NULL},
    {"ind.pubmed.allx", 7578385, 7578385,
     "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e", NULL},
    {"ind.pubmed.ally", 224739, 224739,
     "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e", NULL},
    {"ind.pubmed.graph", 471808, 471808,
     "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9", NULL},
    {"ind.pubmed.test.index", 6000, 6000,
     "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5", NULL},
    {0},
};

static const char zip[] = "PK\3\4";
static const struct catalogue_file dblp[] = {{"dblp.npz", -1, 64 * MIB, NULL, zip}, {0}};
static const struct catalogue_file ppi[] = {{"ppi.zip", -1, 256 * MIB, NULL, zip}, {0}};
static const struct catalogue_file reddit[] = {{"reddit.zip", -1, 4096 * MIB, NULL, zip}, {0}};

static const struct catalogue_file photo[] = {
    {"amazon_electronics_photo.npz", -1, 64 * MIB, NULL, zip}, {0}};
static const struct catalogue_file computers[] = {
    {"amazon_electronics_computers.npz", -1, 64 * MIB, NULL, zip}, {0}};
static const struct catalogue_file authors_cs[] = {{"ms_academic_cs.npz", -1, 256 * MIB, NULL, zip},
                                                   {0}};
static const struct catalogue_file authors_physics[] = {
    {"ms_academic_phy.npz", -1, 256 * MIB, NULL, zip}, {0}};
static const struct catalogue_file wikics[] = {{"data.json", -1, 512 * MIB, NULL, "{"}, {0}};
static const struct catalogue_file facebook[] = {{"facebook_large.zip", -1, 64 * MIB, NULL, zip},
                                                 {0}};
static const struct catalogue_file flickr[] = {{"flickr.zip", -1, 1024 * MIB, NULL, zip}, {0}};
static const struct catalogue_file arxiv[] = {{"arxiv.zip", -1, 512 * MIB, NULL, zip}, {0}};
static const struct catalogue_file products[] = {{"products.zip", -1, 8192 * MIB, NULL, zip}, {0}};

static const char planetoid[] = "https://github.com/kimiyoung/planetoid/raw/master/data";
static const char gauss[] = "https://github.com/abojchevski/graph2gauss/raw/master/data";
static const char dgl[] = "https://data.dgl.ai/dataset";
static const char pitfalls[] = "https://github.com/shchur/gnn-benchmark/raw/master/data/npz";
static const char wiki[] = "https://github.com/pmernyei/wiki-cs-dataset/raw/master/dataset";
static const char snap[] = "https://snap.stanford.edu/data";
static const char ogb[] = "https://snap.stanford.edu/ogb/data/nodeproppred";
static const char repository[] = "not stated by the publisher for the data; its repository is MIT";
static const char unstated[] = "not stated by the publisher";

static const struct catalogue_set sets[] = {
    {"cora", planetoid, cora, repository, "citations, 2,708 papers, 7 classes"},
    {"citeseer", planetoid, citeseer, repository, "citations, 3,327 papers, 6 classes"},
    {"pubmed", planetoid, pubmed, repository, "citations, 19,717 papers, 3 classes"},
    {"dblp", gauss, dblp, repository, "citations, 17,716 papers, 4 classes"},
    {"ppi", dgl, ppi, unstated, "24 graphs of proteins, 56,944 nodes, 121 labels"},
    {"reddit", dgl, reddit, unstated, "232,965 posts, 41 classes"},
    {"amazon-photo", pitfalls, photo, repository, "bought together, 7,650 products, 8 classes"},
    {"amazon-computers", pitfalls, computers, repository,
     "bought together, 13,752 products, 10 classes"},
    {"coauthor-cs", pitfalls, authors_cs, repository, "18,333 authors, 15 classes"},
    {"coauthor-physics", pitfalls, authors_physics, repository, "34,493 authors, 5 classes"},
    {"wikics", wiki, wikics, repository, "links of 11,701 articles, 10 classes"},
    {"facebook", snap, facebook, unstated, "22,470 pages that like each other, 4 classes"},
    {"flickr", dgl, flickr, unstated, "89,250 images, 7 classes"},
    {"ogbn-arxiv", ogb, arxiv, "ODC-BY", "citations, 169,343 papers, 40 classes"},
    {"ogbn-products", ogb, products, "Amazon's",
     "2,449,029 products, 47 classes; read it with --undirected"},
};

_Static_assert(sizeof sets / sizeof sets[0] == CATALOGUE_SETS, "a row for each set");

const struct catalogue_set *catalogue_at(int index)
{
    return index >= 0 && index < CATALOGUE_SETS ? &sets[index] : NULL;
}

const struct catalogue_set *catalogue_find(const char *name)
{
    for (int i = 0; i < CATALOGUE_SETS; i++)
        if (strcmp(sets[i].name, name) == 0)
            return &sets[i];
    return NULL;
}
