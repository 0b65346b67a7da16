/*
 * Plain data of a file: none, booleans, numbers, texts, and lists of them. A dictionary is a list
 * of keys and values by turns. What a file says once, it may refer to often, so the data can be a
 * graph, even with circles: who reads it must not follow it without a limit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum plain_type {
    PLAIN_NONE,
    PLAIN_BOOL,
    PLAIN_NUMBER, /* of 64 bits; larger ones are PLAIN_NONE */
    PLAIN_REAL,
    PLAIN_TEXT,
    PLAIN_LIST, /* a tuple, too */
    PLAIN_DICT,
    PLAIN_MARK, /* only while a pickle is read */
};

struct plain_value {
    uint8_t type;  /* enum plain_type */
    uint32_t size; /* bytes of a text */
    union {
        int64_t number; /* also of PLAIN_BOOL: 0 or 1 */
        double real;
        const char *text; /* not terminated */
        struct plain_list *list;
    };
};

struct plain_list {
    struct plain_value *items; /* of a dictionary: key, value, key, value */
    uint32_t n, room;
    uint32_t depth; /* 1, or more than the depth of each item when it was added */
};

/* More than a dump of 10^6 calls has, and little enough that a hostile file takes 1 GB at most. */
enum {
    PLAIN_BYTES_MAX = 256 << 20,
    PLAIN_VALUES_MAX = 1 << 24, /* at once on the stack, or remembered */
    PLAIN_ITEMS_MAX = 1 << 25,  /* of all lists */
    PLAIN_LISTS_MAX = 1 << 23,
    PLAIN_DEPTH_MAX = 64,
};

struct plain {
    struct plain_value root;
    /* used only by plain.c, pickle.c and plain_json.c: */
    struct arena memory; /* of lists, and of the texts of JSON */
    struct plain_value *stack, *memo;
    uint32_t n, room, nmemo, memo_room, lists, items;
    uint32_t marks; /* on the stack */
};

/* Reads a pickle of protocol 2 to 5. text must outlive p, which begins as zeros and can be used
 * again. 0, or -errno with err, which names path and byte. */
int plain_read_pickle(struct plain *p, const char *path, const char *text, size_t n,
                      struct error *err);
/* The same for JSON. */
int plain_read_json(struct plain *p, const char *path, const char *text, size_t n,
                    struct error *err);
void plain_free(struct plain *p);

/* Whether v is this text. */
bool plain_is(const struct plain_value *v, const char *text);
/* The value of a key, the last one if there are several; NULL if v is no dictionary or has no such
 * key. */
const struct plain_value *plain_member(const struct plain_value *v, const char *key);

/* For the files that read: */
void plain_reset(struct plain *p); /* forgets all values, keeps the memory */
struct plain_list *plain_new_list(struct plain *p);
/* Appends n items to a list. NULL, or why it cannot. */
const char *plain_append(struct plain *p, struct plain_list *list, const struct plain_value *items,
                         uint32_t n);
