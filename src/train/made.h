/* A data set with the features that a training reads: its own, or made ones in their place. */
#ifndef TRAIN_MADE_H
#define TRAIN_MADE_H

#include "methods/method.h"

/* Borrows the data set that it was made from; starts zeroed. */
struct made {
    struct graco_dataset copy;        /* of its pointers, where features were made */
    const struct graco_dataset *data; /* the copy or the data set itself */
    bool narrowed;                    /* made_narrow has changed rows */
    struct preparation *own;          /* of columns, in place of the data set's; owned */
};

/* Decides what `auto` means for this data set, over ranks or not, in the configuration itself; why a method
 * chose so goes to `why`, which may be NULL and becomes "" where there was nothing to choose. */
void made_resolve(struct graco_config *config, const struct graco_dataset *data, bool ranks,
                  char why[RESOLVED_WHY]);

/* Makes the features that a resolved configuration asks for. GRACO_ERROR_ARGUMENT if the method reads
 * none, or if those of one graph cannot serve a training that sees a part of it alone. */
graco_status made_create(struct made *out, const struct graco_dataset *data,
                         const struct graco_config *config);
void made_clear(struct made *made);

/* Where a training learns of columns what the data set did not: `scaling` is standard or quantile, or the training sees
 * less. Otherwise out->data stays. */
graco_status made_learn(struct made *out, const struct graco_dataset *data,
                        const struct graco_config *config);

/* Leaves to a new model how the features of its training came from columns. */
graco_status made_keep(struct graco_model *model, const struct graco_dataset *data);

/* Features as the model's training made them of its columns, from those of `data`, by their names. */
graco_status made_relearned(struct made *out, const struct graco_dataset *data,
                            const struct graco_model *model);

/* Leaves the made features to the model, where they are those of its whole graph, so that embedding it need not make
 * them again; where memory is out, it does. They stay where they are. */
void made_leave(struct made *made, struct graco_model *model);

/* What embedding data by a model reads: made_check, then the features that its training left, or new ones. */
graco_status made_open(struct made *out, const struct graco_dataset *data,
                       const struct graco_model *model, int64_t threads);

/* For an inductive training: made features of its nodes as the graph of these nodes alone has them, and of
 * the validation nodes as the graph of both, so that no edge to another node shows. The other rows stay. */
graco_status made_narrow(struct made *made, const struct graco_config *config);

/* GRACO_ERROR_ARGUMENT if the model's features, or the rows of its table, belong to another graph than
 * that of `data`, or to nodes of other names. */
graco_status made_check(const struct graco_model *model, const struct graco_dataset *data);

/* What the encoder of a model gives, (nodes, its width), over data whose features are made already. */
graco_status made_embed_learned(graco_matrix *Z, const struct graco_model *model,
                                const struct graco_dataset *data,
                                const graco_embed_options *options);

/* Finds the model's parts at the end of its training, from what that may see; nothing where it has none. */
graco_status made_find_parts(struct graco_model *model, const struct graco_dataset *data,
                             const graco_embed_options *options);

/* graco_model_embed over data whose features are made already. A model whose training has not ended finds its
 * parts in them, if they are those of its training. */
graco_status made_embed(graco_matrix *Z, const struct graco_model *model,
                        const struct graco_dataset *data, const graco_embed_options *options);

/* The same over ranks, into the file `path`, which rank 0 alone writes. All ranks call it. */
graco_status made_embed_ranks(const char *path, struct comm *comm, const struct graco_model *model,
                              const struct graco_dataset *data, const graco_embed_options *options);

/* made_embed_learned on a given back end, into Z (nodes, width); nothing is checked. */
graco_status made_embed_on(float *Z, const struct backend *backend, const struct graco_model *model,
                           const struct graco_dataset *data, const graco_embed_options *options);

#endif
