/* Reads JSON into plain data, token by token: lists that are not ended yet are on the stack. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/flight/plain.h"
#include "base/list.h"
#include "base/watch.h"
#include "json/tokens.h"

struct json_plain {
    struct plain *out;
    struct json_tokens tokens;
    uint32_t begins[JSON_DEPTH]; /* where the items of each open list begin on the stack */
    bool dicts[JSON_DEPTH];
    uint32_t open;
    const char *why;
};

static void push_json_value(struct json_plain *k, struct plain_value v)
{
    struct plain *p = k->out;
    if (p->n >= PLAIN_VALUES_MAX)
        k->why = "it has more values than a dump can have";
    else
        LIST_ADD(p->stack, p->n, p->room, v);
}

static void push_json_number(struct json_plain *k)
{
    struct plain_value v = {.type = PLAIN_NUMBER};
    char digits[JSON_DIGITS + 1];
    const size_t n = k->tokens.size < JSON_DIGITS ? k->tokens.size : JSON_DIGITS;
    if (!memchr(k->tokens.text, '.', n) && json_scaled(k->tokens.text, n, 0, &v.number)) {
        push_json_value(k, v);
        return;
    }
    memcpy(digits, k->tokens.text, n);
    digits[n] = '\0';
    v.type = PLAIN_REAL;
    v.real = strtod(digits, NULL);
    push_json_value(k, v);
}

static void push_json_word(struct json_plain *k)
{
    struct plain_value v = {.type = PLAIN_BOOL, .number = json_tokens_are(&k->tokens, "true")};
    if (json_tokens_are(&k->tokens, "null"))
        v.type = PLAIN_NONE;
    push_json_value(k, v);
}

static void push_json_text(struct json_plain *k)
{
    struct plain_value v = {.type = PLAIN_TEXT, .size = (uint32_t)k->tokens.size};
    v.text = arena_strndup(&k->out->memory, k->tokens.text, k->tokens.size);
    push_json_value(k, v);
}

static void begin_json_list(struct json_plain *k, bool dict)
{
    if (k->open == PLAIN_DEPTH_MAX) {
        k->why = "its lists are nested deeper than those of a dump";
        return;
    }
    k->begins[k->open] = k->out->n;
    k->dicts[k->open++] = dict;
}

static void end_json_list(struct json_plain *k)
{
    struct plain *p = k->out;
    const uint32_t begin = k->begins[--k->open], n = p->n - begin;
    struct plain_list *list = plain_new_list(p);
    if (!list) {
        k->why = "it has more lists than a dump can have";
        return;
    }
    k->why = plain_append(p, list, p->stack + begin, n);
    p->n = begin;
    push_json_value(
        k, (struct plain_value){.type = k->dicts[k->open] ? PLAIN_DICT : PLAIN_LIST, .list = list});
}

static void take_plain_token(struct json_plain *k, enum json_token t)
{
    switch (t) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        begin_json_list(k, t == JSON_OBJECT);
        break;
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        end_json_list(k);
        break;
    case JSON_KEY:
    case JSON_STRING:
        push_json_text(k);
        break;
    case JSON_NUMBER:
        push_json_number(k);
        break;
    case JSON_WORD:
        push_json_word(k);
        break;
    default:
        k->why = "it ends before its end: it was cut off";
        break;
    }
}

int plain_read_json(struct plain *p, const char *path, const char *text, size_t n,
                    struct error *err)
{
    struct json_input in = {.p = text, .end = text + n, .path = path, .text = text};
    struct json_plain k = {.out = p};
    enum json_token t = JSON_END;
    int rc = 0;
    plain_reset(p);
    json_tokens_open(&k.tokens, &in);
    do {
        t = json_tokens_next(&k.tokens);
        if (t != JSON_BAD)
            take_plain_token(&k, t);
        if (watch_stops(p->items + (uint64_t)1))
            rc = watch_check(path, err);
    } while (t != JSON_BAD && k.open && !k.why && rc == 0);
    if (k.why)
        k.tokens.why = k.why;
    if (rc == 0 && (k.why || t == JSON_BAD))
        rc = json_tokens_error(&k.tokens, err);
    if (rc == 0 && p->n == 1)
        p->root = p->stack[0];
    json_tokens_close(&k.tokens);
    return rc;
}
