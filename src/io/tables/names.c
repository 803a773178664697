/* A hash table with open addressing over names that lie one after another in one block. A slot
 * keeps the number, the hash and the place of the text, so that a hit costs two cache misses and a
 * miss one. Names hold no NUL, so a NUL after as many equal bytes means the same name.
 *
 * The hash is SipHash-2-4 under a key that the system draws for each table: whoever writes a file
 * cannot know which names fall into one slot, so no file makes the search for a slot long. The key
 * decides where names lie in the table, never their numbers. Reference: Aumasson, Bernstein,
 * "SipHash: a fast short-input PRF", INDOCRYPT 2012. */
#include "io/tables/names.h"

#include "base/memory.h"
#include "io/files/system.h"

#include <errno.h>
#include <string.h>

enum { FIRST_SLOTS = 64, NAMES_MAX = INT32_MAX - 1 };

/* Searches whose memory is asked for at once: about as many as a core waits for side by side. */
enum { AHEAD = 64 };

struct slot {
    int64_t start;  /* in text */
    int32_t number; /* -1: free */
    uint32_t hash;
};

struct names {
    struct slot *slots; /* (capacity), a power of two, at most two thirds in use */
    int64_t capacity;
    int64_t *start; /* (start_room) where name i begins in text */
    int64_t count, start_room;
    char *text; /* (text_room) NUL-terminated names */
    int64_t used, text_room;
    uint64_t key[2];
};

graco_status names_create(struct names **out)
{
    struct names *names = NULL;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(memory_zalloc(&names, 1, sizeof *names));
    TRY(memory_alloc(&names->slots, FIRST_SLOTS, sizeof *names->slots));
    memset(names->slots, 0xff, FIRST_SLOTS * sizeof *names->slots);
    if (system_random(names->key, sizeof names->key) != 0)
        FAIL(GRACO_ERROR_IO, "the system gives no random numbers for a table of names: %s",
             strerror(errno));
    names->capacity = FIRST_SLOTS;
    *out = names;
    names = NULL;
done:
    names_free(names);
    return status;
}

void names_free(struct names *names)
{
    if (!names)
        return;
    memory_free(names->slots);
    memory_free(names->start);
    memory_free(names->text);
    memory_free(names);
}

/* ---- SipHash --------------------------------------------------------------------------------- */

static uint64_t rotate(uint64_t word, int by)
{
    return word << by | word >> (64 - by);
}

static void mix(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32) + v[3];
        v[2] += v[1];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, 2);
    v[0] ^= word;
}

uint64_t names_hash(const uint64_t key[2], const char *text, int64_t length)
{
    /* "somepseudorandomlygeneratedbytes", as the paper has it */
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                     key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
    uint64_t word = 0, last = (uint64_t)length << 56;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        absorb(v, word);
    }
    for (int64_t i = 0; i < length; i++)
        last |= (uint64_t)(unsigned char)text[i] << 8 * i;
    absorb(v, last);
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint32_t hash_of(const struct names *names, const char *text, int64_t length)
{
    return (uint32_t)names_hash(names->key, text, length);
}

/* ---- The table ------------------------------------------------------------------------------- */

/* The slot that holds the name, or the free slot where it belongs. */
static int64_t find_slot(const struct names *names, uint32_t hash, const char *text, int64_t length)
{
    int64_t mask = names->capacity - 1;
    for (int64_t at = hash & mask;; at = (at + 1) & mask) {
        struct slot slot = names->slots[at];
        if (slot.number < 0)
            return at;
        if (slot.hash != hash)
            continue;
        const char *name = names->text + slot.start;
        if (slot.start + length < names->used && memcmp(name, text, (size_t)length) == 0 &&
            name[length] == 0)
            return at;
    }
}

static graco_status grow_slots(struct names *names)
{
    struct slot *slots = NULL;
    int64_t capacity = 2 * names->capacity;
    PASS(memory_alloc(&slots, capacity, sizeof *slots));
    memset(slots, 0xff, (size_t)capacity * sizeof *slots);
    for (int64_t i = 0; i < names->capacity; i++) {
        struct slot slot = names->slots[i];
        if (slot.number < 0)
            continue;
        int64_t at = slot.hash & (capacity - 1);
        while (slots[at].number >= 0)
            at = (at + 1) & (capacity - 1);
        slots[at] = slot;
    }
    memory_free(names->slots);
    names->slots = slots;
    names->capacity = capacity;
    return GRACO_OK;
}

static graco_status store_name(struct names *names, const char *text, int64_t length)
{
    if (names->count == names->start_room) {
        int64_t room = 2 * names->start_room + 64;
        PASS(memory_grow(&names->start, names->count, room, sizeof *names->start));
        names->start_room = room;
    }
    if (names->used + length + 1 > names->text_room) {
        int64_t room = 2 * (names->used + length) + 256;
        PASS(memory_grow(&names->text, names->used, room, 1));
        names->text_room = room;
    }
    memcpy(names->text + names->used, text, (size_t)length);
    names->text[names->used + length] = 0;
    names->start[names->count++] = names->used;
    names->used += length + 1;
    return GRACO_OK;
}

static graco_status add_hashed(int32_t *out, struct names *names, uint32_t hash, const char *text,
                               int64_t length)
{
    if (memchr(text, 0, (size_t)length))
        return status_fail(GRACO_ERROR_FORMAT, "a name holds a NUL byte: \"%.40s\"", text);
    int64_t at = find_slot(names, hash, text, length);
    if (names->slots[at].number < 0) {
        if (names->count >= NAMES_MAX)
            return status_fail(GRACO_ERROR_FORMAT, "there are more than %d names", NAMES_MAX);
        if (3 * (names->count + 1) > 2 * names->capacity) {
            PASS(grow_slots(names));
            at = find_slot(names, hash, text, length);
        }
        PASS(store_name(names, text, length));
        names->slots[at] = (struct slot){.start = names->start[names->count - 1],
                                         .number = (int32_t)(names->count - 1),
                                         .hash = hash};
    }
    *out = names->slots[at].number;
    return GRACO_OK;
}

graco_status names_add(int32_t *out, struct names *names, const char *text, int64_t length)
{
    return add_hashed(out, names, hash_of(names, text, length), text, length);
}

graco_status names_add_many(struct names *names, const struct name_text *texts, int64_t count)
{
    uint32_t hash[AHEAD];
    for (int64_t first = 0; first < count; first += AHEAD) {
        int64_t block = count - first < AHEAD ? count - first : AHEAD;
        for (int64_t i = 0; i < block; i++) {
            hash[i] = hash_of(names, texts[first + i].text, texts[first + i].length);
            EXT_PREFETCH(&names->slots[hash[i] & (names->capacity - 1)]);
        }
        for (int64_t i = 0; i < block; i++) {
            struct slot slot = names->slots[hash[i] & (names->capacity - 1)];
            if (slot.number >= 0 && slot.hash == hash[i])
                EXT_PREFETCH(names->text + slot.start);
        }
        for (int64_t i = 0; i < block; i++) {
            const struct name_text *at = &texts[first + i];
            PASS(add_hashed(at->number, names, hash[i], at->text, at->length));
        }
    }
    return GRACO_OK;
}

int32_t names_find(const struct names *names, const char *text, int64_t length)
{
    if (memchr(text, 0, (size_t)length))
        return -1;
    return names->slots[find_slot(names, hash_of(names, text, length), text, length)].number;
}

int64_t names_count(const struct names *names)
{
    return names->count;
}

const char *names_text(const struct names *names, int64_t index)
{
    return names->text + names->start[index];
}

graco_status names_list(char ***out, const struct names *names)
{
    char **list = NULL, *block = NULL;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(memory_alloc(&list, names->count + 1, sizeof *list));
    TRY(memory_alloc(&block, names->used, 1));
    if (names->used > 0)
        memcpy(block, names->text, (size_t)names->used);
    list[0] = block;
    for (int64_t i = 0; i < names->count; i++)
        list[i] = block + names->start[i];
    *out = list;
    list = NULL;
done:
    memory_free(list);
    return status;
}
