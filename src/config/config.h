/* The configuration: every setting of a training in one flat struct.
 *
 * keys.def lists the settings once; `--set`, the help text, config.json and checkpoints all go by that
 * list. Code reads fields, users read and write text by key. Choices are numbers, in the order of their
 * words. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "base/status.h"

enum { CONFIG_TEXT = 64, LAYERS_MAX = 8 };

/* What words of counts stand for. */
enum { COLUMNS_ALL = -1, WIDTH_AUTO = -1, EPOCHS_AUTO = -1 };

/* The bits of `parts`. */
enum { PARTS_LEARNED = 1, PARTS_OWN = 2, PARTS_SMOOTH = 4, PARTS_AUTO = 8 };

#define FIELD_CHOICE(name) int name;
#define FIELD_SET(name) unsigned name; /* a bit for each word */
#define FIELD_COUNT(name) int64_t name;
#define FIELD_BYTES(name) int64_t name;
#define FIELD_REAL(name) double name;
#define FIELD_SEED(name) uint64_t name;
#define FIELD_LIST(name) int64_t name[LAYERS_MAX];
/* How many there are. */
#define OWN(...) +1
#define ALL(...) +1
enum {
    CONFIG_KEYS = 0
#include "config/keys.def"
};
#undef OWN
#undef ALL

#define OWN(type, name, ...) FIELD_##type(name)
#define ALL OWN

struct graco_config {
    const char *method;      /* its name, borrowed */
    const char *const *keys; /* the OWN keys that it reads, ending with NULL; borrowed */
#include "config/keys.def"
};

#undef OWN
#undef ALL

/* Fills *config with the start values of all keys, for a method that reads `keys`. */
void config_init(struct graco_config *config, const char *method, const char *const *keys);

/* Sets keys from text such as "hidden=128 tau=0.4". */
graco_status config_apply(struct graco_config *config, const char *text);

/* The first setting of `one`'s method, but for those of some kinds, that two configurations of this method differ in,
 * with both values as text; NULL: none. */
const char *config_differs(char a[CONFIG_TEXT], char b[CONFIG_TEXT], const struct graco_config *one,
                           const struct graco_config *other, unsigned free_kinds);

/* How many columns embeddings shall have: columns, or hidden where that is 0; COLUMNS_ALL. */
int64_t config_columns(const struct graco_config *config);

/* Whether the method reads a setting. */
bool config_reads(const struct graco_config *config, const char *key);

/* Whether a setting has whole numbers alone: a count, bytes, a seed, a list of counts. */
bool config_is_whole(const char *key);

/* Whether a setting has several words at once, as parts. */
bool config_is_set(const char *key);

/* The word of a choice, such as "moment" for "objective". */
const char *config_word(const struct graco_config *config, const char *key);

#endif
