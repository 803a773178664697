/* Which columns of a table of edges are their ends, by the columns' names alone. A name is cut into words:
 * `from_account`, `From Account` and `fromAccount` are from, account. Two names are a pair if one of their
 * words names two opposite ends and the others are the same. */
#include "io/tables/table_ends.h"

#include "graco_command.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"
#include "io/tables/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64, NAMED = 8, SHOWN = 40, PAIRS_MOST = 64 };

enum end { END_NONE = -1, END_SOURCE, END_TARGET, END_EITHER };

/* Words of one family make pairs. Where either word may be the source, the first column is. */
enum family { FROM_TO, SUBJECT, HEAD_TAIL, U_V, NUMBERED };

static const struct {
    const char *text;
    enum family family;
    enum end end;
} WORDS[] = {
    {"source", FROM_TO, END_SOURCE},  {"src", FROM_TO, END_SOURCE},
    {"from", FROM_TO, END_SOURCE},    {"sender", FROM_TO, END_SOURCE},
    {"target", FROM_TO, END_TARGET},  {"dst", FROM_TO, END_TARGET},
    {"dest", FROM_TO, END_TARGET},    {"destination", FROM_TO, END_TARGET},
    {"to", FROM_TO, END_TARGET},      {"receiver", FROM_TO, END_TARGET},
    {"subject", SUBJECT, END_SOURCE}, {"object", SUBJECT, END_TARGET},
    {"head", HEAD_TAIL, END_EITHER},  {"tail", HEAD_TAIL, END_EITHER},
    {"u", U_V, END_EITHER},           {"v", U_V, END_EITHER},
    {"1", NUMBERED, END_SOURCE},      {"2", NUMBERED, END_TARGET},
};
enum { WORD_COUNT = sizeof WORDS / sizeof *WORDS };

static const char *const WEIGHTS[] = {"weight", "weights", "edge weight", "w", NULL};

/* What nodes are called before a 1 and a 2: other columns with such numbers are measurements. */
static const char *const NUMBERED_RESTS[] = {"node",   "id",      "node id", "name", "vertex",
                                             "entity", "protein", "gene",    "user", NULL};

/* Words of columns that are no ends, such as valid_from and valid_to. */
static const char *const NO_ENDS[] = {
    "date",  "time",   "datetime", "timestamp", "ts",    "day",      "week",  "month",
    "year",  "hour",   "valid",    "lat",       "lon",   "lng",      "x",     "y",
    "price", "amount", "value",    "balance",   "count", "quantity", "qty",   "age",
    "type",  "kind",   "relation", "predicate", "rel",   "label",    "class", NULL};

/* A column's name in words. */
struct name {
    char text
        [NAME_MAX_BYTES]; /* in small letters, with one blank between words; "" if it is longer */
    enum family family;
    enum end end;              /* what its first or last word says */
    char rest[NAME_MAX_BYTES]; /* the other words */
};

static bool is_listed(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(text, *list) == 0)
            return true;
    return false;
}

static bool is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Cuts a name into words: at blanks and signs, before a capital after a small letter, before digits. */
static void cut_words(char out[NAME_MAX_BYTES], const char *name)
{
    int used = 0;
    char last = ' ';
    for (; *name; last = *name++) {
        char c = *name;
        bool letter = is_small(c) || is_capital(c) || is_digit(c) || (unsigned char)c >= 128;
        bool begins = (is_capital(c) && is_small(last)) || (is_digit(c) && !is_digit(last));
        if (used + 2 >= NAME_MAX_BYTES) {
            out[0] = '\0';
            return;
        }
        if ((!letter || begins) && used > 0 && out[used - 1] != ' ')
            out[used++] = ' ';
        if (letter)
            out[used++] = (char)(is_capital(c) ? c + ('a' - 'A') : c);
    }
    while (used > 0 && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
}

/* Whether a word at the beginning or at the end of a name is on the list above. */
static bool take_word(struct name *name, size_t length, bool first)
{
    size_t all = strlen(name->text);
    const char *word = first ? name->text : name->text + all - length;
    for (int w = 0; w < WORD_COUNT; w++) {
        if (strlen(WORDS[w].text) != length || memcmp(WORDS[w].text, word, length) != 0)
            continue;
        const char *rest = first ? name->text + length : name->text;
        size_t left = all - length;
        if (left > 0 && first)
            rest++;
        left -= left > 0;
        memcpy(name->rest, rest, left);
        name->rest[left] = '\0';
        name->family = WORDS[w].family;
        name->end = WORDS[w].end;
        return name->family != NUMBERED || is_listed(name->rest, NUMBERED_RESTS);
    }
    return false;
}

static struct name read_name(const char *column)
{
    struct name name = {.end = END_NONE};
    cut_words(name.text, column);
    const char *last = strrchr(name.text, ' ');
    if (take_word(&name, strcspn(name.text, " "), true) ||
        (last && take_word(&name, strlen(last + 1), false)))
        return name;
    name.end = END_NONE;
    return name;
}

/* Whether a word of the name is one that no end has. */
static bool no_end(const char *text)
{
    char word[NAME_MAX_BYTES];
    for (size_t length; *text; text += length + (text[length] == ' ')) {
        length = strcspn(text, " ");
        memcpy(word, text, length);
        word[length] = '\0';
        if (is_listed(word, NO_ENDS))
            return true;
    }
    return false;
}

/* ---- Failing --------------------------------------------------------------------------------- */

static const char *table_of(const graco_ends_options *options)
{
    return options->table ? options->table : "the table";
}

/* Lists the names of columns; what does not fit is counted. */
static void list_columns(char *text, size_t size, const char *const *columns, int64_t count)
{
    size_t used = 0;
    text[0] = '\0';
    for (int64_t c = 0; c < count && c < NAMED && used < size; c++)
        used += (size_t)snprintf(text + used, size - used, "%s`%.*s`", c > 0 ? ", " : "", SHOWN,
                                 columns[c]);
    if (count > NAMED && used < size)
        snprintf(text + used, size - used, ", ... (%" PRId64 ")", count);
}

/* The columns that a message proposes, of two or more: the first two that may be ends. */
static void propose(int64_t ends[2], const char *const *columns, int64_t count)
{
    int found = 0;
    ends[0] = 0;
    ends[1] = 1;
    for (int64_t c = 0; c < count && found < 2; c++) {
        struct name name = read_name(columns[c]);
        if (name.text[0] && !no_end(name.text) && !is_listed(name.text, WEIGHTS))
            ends[found++] = c;
    }
    if (found == 1)
        ends[1] = ends[0] == 0;
}

/* A name as the option takes it. */
static const char *quote_for(const char *name)
{
    return strpbrk(name, " \t'\"$&;()<>|*?") || !*name ? "\"" : "";
}

/* `why` says what stands in the way. */
static graco_status fail_ends(const char *const *columns, int64_t count,
                              const graco_ends_options *options, const char *why)
{
    char listed[NAMED * (SHOWN + 4) + 32], call[4 * SHOWN + 64];
    int64_t ends[2];
    list_columns(listed, sizeof listed, columns, count);
    propose(ends, columns, count);
    const char *source = columns[ends[0]], *target = columns[ends[1]];
    if (options->python)
        snprintf(call, sizeof call, "Graph(..., source='%.*s', target='%.*s')", SHOWN, source,
                 SHOWN, target);
    else
        snprintf(call, sizeof call, "--source %s%.*s%s --target %s%.*s%s", quote_for(source), SHOWN,
                 source, quote_for(source), quote_for(target), SHOWN, target, quote_for(target));
    return status_fail(GRACO_ERROR_FORMAT, "%s has the columns %s, %s: name the two, such as %s",
                       table_of(options), listed, why, call);
}

/* ---- Columns that the caller names ----------------------------------------------------------- */

/* Whether two names are the same, in any case of the letters a to z unless `exact`. */
static bool is_called(const char *column, const char *name, bool exact)
{
    struct scan_field field = {.text = column, .length = (int64_t)strlen(column)};
    return exact ? strcmp(column, name) == 0
                 : scan_listed(field, (const char *const[]){name, NULL});
}

/* The column that `name` means: its name, else its number from 1. `word` says what for. */
static graco_status find_named(int64_t *out, const char *name, const char *word,
                               const char *const *columns, int64_t count,
                               const graco_ends_options *options)
{
    char listed[NAMED * (SHOWN + 4) + 32];
    struct scan_field text = {.text = name, .length = (int64_t)strlen(name)};
    int64_t found = -1, again = -1, place;
    for (int exact = 1; exact >= 0 && found < 0; exact--)
        for (int64_t c = 0; c < count; c++)
            if (is_called(columns[c], name, exact))
                *(found < 0 ? &found : &again) = c;
    if (found < 0 && scan_integer(&place, text, 1, count))
        found = place - 1;
    list_columns(listed, sizeof listed, columns, count);
    if (found < 0)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "%s: no column is called '%s' (%s): expected one of %s, or a number from "
            "1 to %" PRId64,
            table_of(options), name, word, listed, count);
    if (again >= 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s: columns %" PRId64 " and %" PRId64
                           " are both called '%s' (%s): expected the number of one",
                           table_of(options), found + 1, again + 1, name, word);
    *out = found;
    return GRACO_OK;
}

static graco_status take_named(graco_ends *ends, const char *const *columns, int64_t count,
                               const graco_ends_options *options)
{
    static const char *const words[] = {"source", "target", "weight"};
    const char *names[] = {options->source, options->target, options->weight};
    int64_t *places[] = {&ends->source, &ends->target, &ends->weight};
    for (int i = 0; i < 3; i++)
        if (names[i])
            PASS(find_named(places[i], names[i], words[i], columns, count, options));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++)
            if (*places[i] >= 0 && *places[i] == *places[k])
                return status_fail(GRACO_ERROR_ARGUMENT,
                                   "%s: column `%.*s` is both %s and %s: expected two columns",
                                   table_of(options), SHOWN, columns[*places[i]], words[k],
                                   words[i]);
    return GRACO_OK;
}

/* ---- Columns that names tell ----------------------------------------------------------------- */

/* Finds the weights. A column `w` of two is an end, as in a table of v and w. */
static graco_status find_weight(graco_ends *ends, const char *const *columns, int64_t count,
                                const graco_ends_options *options)
{
    for (int64_t c = 0; ends->weight < 0 && c < count; c++) {
        struct name name = read_name(columns[c]);
        if (c == ends->source || c == ends->target || !is_listed(name.text, WEIGHTS) ||
            (count == 2 && strcmp(name.text, "w") == 0))
            continue;
        for (int64_t d = c + 1; d < count; d++) {
            struct name other = read_name(columns[d]);
            if (d != ends->source && d != ends->target && is_listed(other.text, WEIGHTS))
                return status_fail(GRACO_ERROR_FORMAT,
                                   "%s: columns %" PRId64 " and %" PRId64
                                   " are both called as weights are: %s says which",
                                   table_of(options), c + 1, d + 1,
                                   options->python ? "weight=" : "--weight");
        }
        ends->weight = c;
        break;
    }
    return GRACO_OK;
}

/* Two columns that are a pair. */
struct pair {
    int64_t source, target;
    int found; /* 2: more than one pair */
};

static void add_pair(struct pair *pair, int64_t first, int64_t second, enum end end)
{
    pair->found += pair->found < 2;
    pair->source = end == END_TARGET ? second : first;
    pair->target = end == END_TARGET ? first : second;
}

/* Whether two names are a pair: opposite words of one family, and `bare` ones beside nothing but `id`, others
 * beside the same words. */
static bool is_pair(const struct name *a, const struct name *b, bool bare)
{
    static const char *const nothing[] = {"", "id", NULL};
    bool bare_names =
        is_listed(a->rest, nothing) && is_listed(b->rest, nothing) && a->family != NUMBERED;
    if (a->end == END_NONE || b->end == END_NONE || a->family != b->family || bare != bare_names)
        return false;
    if (a->end == b->end && (a->end != END_EITHER || strcmp(a->text, b->text) == 0))
        return false;
    return bare || (strcmp(a->rest, b->rest) == 0 && !no_end(a->rest));
}

/* Pairs among columns that are not the weights. More than PAIRS_MOST columns with such words are taken for
 * more than one pair. */
static struct pair find_pair(const graco_ends *ends, const char *const *columns, int64_t count,
                             bool bare)
{
    struct name names[PAIRS_MOST];
    int64_t place[PAIRS_MOST];
    struct pair pair = {.source = -1, .target = -1};
    int kept = 0;
    for (int64_t c = 0; c < count; c++) {
        struct name name = read_name(columns[c]);
        if (c == ends->weight || name.end == END_NONE)
            continue;
        if (kept == PAIRS_MOST)
            return (struct pair){.found = 2};
        for (int k = 0; k < kept; k++)
            if (is_pair(&names[k], &name, bare))
                add_pair(&pair, place[k], c, names[k].end);
        place[kept] = c;
        names[kept++] = name;
    }
    return pair;
}

/* Whether a name ends in `id` after another word. */
static bool ends_in_id(const char *column)
{
    static const char ending[] = " id";
    struct name name = read_name(column);
    size_t length = strlen(name.text), cut = sizeof ending - 1;
    return length > cut && strcmp(name.text + length - cut, ending) == 0;
}

bool table_ends_pair(const char *a, const char *b)
{
    struct name first = read_name(a), second = read_name(b);
    return is_pair(&first, &second, true) || is_pair(&first, &second, false) ||
           (ends_in_id(a) && ends_in_id(b) && strcmp(first.text, second.text) != 0);
}

bool table_ends_id(const char *name)
{
    return strcmp(read_name(name).text, "id") == 0 || ends_in_id(name);
}

bool table_ends_index(const char *name)
{
    static const char *const words[] = {"", "unnamed 0", "index", "level 0", NULL};
    char text[NAME_MAX_BYTES];
    cut_words(text, name);
    return is_listed(text, words) && strlen(name) <= sizeof "Unnamed: 0" - 1;
}

/* The only two columns that end so. */
static struct pair find_ids(const graco_ends *ends, const char *const *columns, int64_t count)
{
    struct pair pair = {.source = -1, .target = -1};
    int found = 0;
    for (int64_t c = 0; c < count; c++) {
        if (c == ends->weight || !ends_in_id(columns[c]))
            continue;
        *(found == 0 ? &pair.source : &pair.target) = c;
        found += found < 3;
    }
    pair.found = found == 2;
    return pair;
}

/* Two columns beside the weights: a word decides that one of them is the source or the target, else their
 * order does. */
static graco_status take_two(graco_ends *ends, const char *const *columns, int64_t count,
                             const graco_ends_options *options)
{
    int64_t left[2] = {-1, -1};
    enum end end[2] = {END_NONE, END_NONE};
    int found = 0;
    for (int64_t c = 0; c < count; c++)
        if (c != ends->weight)
            left[found++] = c;
    for (int i = 0; i < 2; i++)
        end[i] = read_name(columns[left[i]]).end;
    if (end[0] == end[1] && (end[0] == END_SOURCE || end[0] == END_TARGET))
        return fail_ends(columns, count, options,
                         end[0] == END_SOURCE ? "both called as sources are"
                                              : "both called as targets are");
    bool turned = ends->source == left[1] || ends->target == left[0];
    if (ends->source < 0 && ends->target < 0)
        turned = end[0] == END_TARGET || end[1] == END_SOURCE;
    ends->source = left[turned];
    ends->target = left[!turned];
    return GRACO_OK;
}

/* One end is named; the other is the only column that is called as that end is. */
static graco_status take_other(graco_ends *ends, const char *const *columns, int64_t count,
                               const graco_ends_options *options)
{
    enum end wanted = ends->source < 0 ? END_SOURCE : END_TARGET;
    int64_t *out = ends->source < 0 ? &ends->source : &ends->target;
    int64_t found = -1, again = -1;
    for (int64_t c = 0; c < count; c++)
        if (c != ends->source && c != ends->target && c != ends->weight &&
            read_name(columns[c]).end == wanted)
            *(found < 0 ? &found : &again) = c;
    if (found < 0 || again >= 0)
        return fail_ends(columns, count, options,
                         wanted == END_SOURCE ? "and only the target is named"
                                              : "and only the source is named");
    *out = found;
    return GRACO_OK;
}

static graco_status find_ends(graco_ends *ends, const char *const *columns, int64_t count,
                              const graco_ends_options *options)
{
    int64_t left = count - (ends->weight >= 0);
    if (ends->source >= 0 && ends->target >= 0)
        return GRACO_OK;
    if (left < 2)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s has %" PRId64 " column%s%s: expected two of ends", table_of(options),
                           count, count == 1 ? "" : "s",
                           ends->weight >= 0 ? ", one of them of weights" : "");
    if (left == 2)
        return take_two(ends, columns, count, options);
    if (ends->source >= 0 || ends->target >= 0)
        return take_other(ends, columns, count, options);
    struct pair pair = find_pair(ends, columns, count, true);
    if (pair.found == 0)
        pair = find_pair(ends, columns, count, false);
    if (pair.found == 0)
        pair = find_ids(ends, columns, count);
    if (pair.found > 1)
        return fail_ends(columns, count, options, "of which several pairs may be the ends");
    if (pair.found == 0)
        return fail_ends(columns, count, options, "of which none are called as ends are");
    ends->source = pair.source;
    ends->target = pair.target;
    return GRACO_OK;
}

/* "edges from `a` to `b`; weights `c`; left out: `d`, `e`". */
static graco_status say_ends(graco_ends *ends, const char *const *columns, int64_t count)
{
    char listed[NAMED * (SHOWN + 4) + 32], weights[SHOWN + 16] = "";
    const char **others = NULL;
    PASS(memory_alloc(&others, count, sizeof *others));
    for (int64_t c = 0; c < count; c++)
        if (c != ends->source && c != ends->target && c != ends->weight)
            others[ends->left_out++] = columns[c];
    list_columns(listed, sizeof listed, others, ends->left_out);
    if (ends->weight >= 0)
        snprintf(weights, sizeof weights, "; weights `%.*s`", SHOWN, columns[ends->weight]);
    snprintf(ends->reading, sizeof ends->reading, "edges from `%.*s` to `%.*s`%s%s%s", SHOWN,
             columns[ends->source], SHOWN, columns[ends->target], weights,
             ends->left_out > 0 ? "; left out: " : "", listed);
    utf8_mend(ends->reading); /* a name may have been cut */
    memory_free(others);
    return GRACO_OK;
}

graco_status graco_table_ends(graco_ends *out, const char *const *columns, int64_t count,
                              const graco_ends_options *options)
{
    graco_ends ends = {.source = -1, .target = -1, .weight = -1};
    options = options ? options : &(const graco_ends_options){0};
    PASS(take_named(&ends, columns, count, options));
    PASS(find_weight(&ends, columns, count, options));
    PASS(find_ends(&ends, columns, count, options));
    PASS(say_ends(&ends, columns, count));
    *out = ends;
    return GRACO_OK;
}
