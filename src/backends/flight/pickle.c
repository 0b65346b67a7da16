/*
 * Reads Python's pickle format, as far as it holds plain data. Source: Python's Lib/pickletools.py,
 * which describes each opcode; PyTorch's torch/csrc/jit/serialization/pickler.cpp writes those of
 * protocol 2, so the lines of digits and letters of the protocols before are no opcodes here. A
 * pickle is a program for a machine with a stack and a memory; the opcodes that name, make or call
 * objects are refused, so that a file can neither run code nor import anything.
 */
#include <errno.h>
#include <stdio.h>

#include "backends/flight/pickle_impl.h"
#include "base/list.h"
#include "base/watch.h"

/* --- the stack --- */

/* The value that lies `below` the top; NULL with an error where there is none. */
static struct plain_value *look_at_pickle_stack(struct pickle *k, uint32_t below)
{
    struct plain *p = k->out;
    if (p->n <= below) {
        pickle_fail(k, "it takes a value that it did not make");
        return NULL;
    }
    return &p->stack[p->n - 1 - below];
}

/* Takes the n values on top into a list, which takes their place. */
static bool make_pickle_list(struct pickle *k, uint32_t n, enum plain_type type)
{
    struct plain *p = k->out;
    if (p->n < n)
        return pickle_fail(k, "it takes a value that it did not make");
    struct plain_list *list = plain_new_list(p);
    if (!list)
        return pickle_fail(k, "it has more lists than a dump can have");
    for (uint32_t i = p->n - n; i < p->n; i++)
        if (p->stack[i].type == PLAIN_MARK)
            return pickle_fail(k, "it takes a value that it did not make");
    const char *why = plain_append(p, list, p->stack + (p->n - n), n);
    if (why)
        return pickle_fail(k, why);
    p->n -= n;
    return pickle_push(k, (struct plain_value){.type = (uint8_t)type, .list = list});
}

/* The number of values above the last mark. */
static bool count_to_pickle_mark(struct pickle *k, uint32_t *n)
{
    struct plain *p = k->out;
    for (*n = 0; p->marks && *n < p->n; ++*n)
        if (p->stack[p->n - 1 - *n].type == PLAIN_MARK)
            return true;
    return pickle_fail(k, "it ends a list that it did not begin");
}

static bool push_pickle_mark(struct pickle *k)
{
    if (++k->out->marks > PLAIN_DEPTH_MAX)
        return pickle_fail(k, "its lists are nested deeper than those of a dump");
    return pickle_push(k, (struct plain_value){.type = PLAIN_MARK});
}

/* Makes a list of all values above the mark, which goes, too. */
static bool make_pickle_list_of_marked(struct pickle *k, enum plain_type type)
{
    struct plain *p = k->out;
    uint32_t n;
    if (!count_to_pickle_mark(k, &n))
        return false;
    if (type == PLAIN_DICT && n % 2)
        return pickle_fail(k, "it has a key without a value");
    if (!make_pickle_list(k, n, type))
        return false;
    p->stack[p->n - 2] = p->stack[p->n - 1];
    p->n--;
    p->marks--;
    return true;
}

/* Appends the n values on top to the list below them, and below the mark if there is one. */
static bool append_in_pickle(struct pickle *k, uint32_t n, bool marked, enum plain_type type)
{
    struct plain *p = k->out;
    const struct plain_value *to = look_at_pickle_stack(k, n + (marked ? 1 : 0));
    if (!to)
        return false;
    if (to->type != type || (type == PLAIN_DICT && n % 2))
        return pickle_fail(k, "it adds values to what is no list of such");
    for (uint32_t i = p->n - n; i < p->n; i++)
        if (p->stack[i].type == PLAIN_MARK)
            return pickle_fail(k, "it takes a value that it did not make");
    const char *why = plain_append(p, to->list, p->stack + (p->n - n), n);
    if (why)
        return pickle_fail(k, why);
    p->n -= n + (marked ? 1 : 0);
    p->marks -= marked;
    return true;
}

static bool append_marked_in_pickle(struct pickle *k, enum plain_type type)
{
    uint32_t n;
    return count_to_pickle_mark(k, &n) && append_in_pickle(k, n, true, type);
}

static bool pop_in_pickle(struct pickle *k)
{
    const struct plain_value *top = look_at_pickle_stack(k, 0);
    if (!top)
        return false;
    k->out->marks -= top->type == PLAIN_MARK;
    k->out->n--;
    return true;
}

/* --- the memory --- */

/* A number of the memory is given out one after the other, so it is at most that of the bytes. */
static bool remember_in_pickle(struct pickle *k, uint64_t number)
{
    struct plain *p = k->out;
    const struct plain_value *top = look_at_pickle_stack(k, 0);
    if (!top)
        return false;
    if (number >= k->at || number >= PLAIN_VALUES_MAX)
        return pickle_fail(k, "it numbers more values than it has");
    while (p->nmemo <= number)
        LIST_ADD(p->memo, p->nmemo, p->memo_room, (struct plain_value){.type = PLAIN_MARK});
    if (top->type == PLAIN_MARK)
        return pickle_fail(k, "it takes a value that it did not make");
    p->memo[number] = *top;
    return true;
}

static bool recall_in_pickle(struct pickle *k, uint64_t number)
{
    const struct plain *p = k->out;
    if (number >= p->nmemo || p->memo[number].type == PLAIN_MARK)
        return pickle_fail(k, "it refers to a value that it did not make");
    return pickle_push(k, p->memo[number]);
}

/* --- opcodes --- */

static const char *name_of_refused_opcode(unsigned char op)
{
    switch (op) {
    case 'c':
    case 0x93:
        return "it names an object to import (GLOBAL)";
    case 'R':
        return "it calls a function (REDUCE)";
    case 'b':
        return "it sets an object's state (BUILD)";
    case 'i':
    case 'o':
    case 0x81:
    case 0x92:
        return "it constructs an object (INST, OBJ or NEWOBJ)";
    case 'P':
    case 'Q':
        return "it refers to an object outside of the file (PERSID)";
    case 0x82:
    case 0x83:
    case 0x84:
        return "it constructs an object by a registered number (EXT)";
    case 0x8f:
    case 0x90:
    case 0x91:
        return "it makes a set, which no dump has";
    default:
        return "it has a byte that is no opcode of plain data";
    }
}

/* Opcodes that push a number, a text or nothing. Returns whether op is one of them. */
static bool run_pushing_opcode(struct pickle *k, unsigned char op, bool *good)
{
    switch (op) {
    case 'N':
        *good = pickle_push(k, (struct plain_value){.type = PLAIN_NONE});
        return true;
    case 0x88:
    case 0x89:
        *good = pickle_push(k, (struct plain_value){.type = PLAIN_BOOL, .number = op == 0x88});
        return true;
    case 'K':
        *good = pickle_push_number(k, (int64_t)pickle_take_size(k, 1));
        return true;
    case 'M':
        *good = pickle_push_number(k, (int64_t)pickle_take_size(k, 2));
        return true;
    case 'J':
        *good = pickle_push_number(k, (int32_t)pickle_take_size(k, 4));
        return true;
    case 0x8a:
        *good = pickle_push_long(k, pickle_take_size(k, 1));
        return true;
    case 0x8b:
        *good = pickle_push_long(k, pickle_take_size(k, 4));
        return true;
    case 'G':
        *good = pickle_push_float(k);
        return true;
    case 'X':
    case 'B':
    case 'T':
        *good = pickle_push_text(k, pickle_take_size(k, 4));
        return true;
    case 0x8c:
    case 'C':
    case 'U':
        *good = pickle_push_text(k, pickle_take_size(k, 1));
        return true;
    case 0x8d:
    case 0x8e:
        *good = pickle_push_text(k, pickle_take_size(k, 8));
        return true;
    default:
        return false;
    }
}

/* Opcodes that make lists, or add to them. */
static bool run_list_opcode(struct pickle *k, unsigned char op, bool *good)
{
    switch (op) {
    case '(':
        *good = push_pickle_mark(k);
        return true;
    case ']':
    case ')':
        *good = make_pickle_list(k, 0, PLAIN_LIST);
        return true;
    case '}':
        *good = make_pickle_list(k, 0, PLAIN_DICT);
        return true;
    case 'l':
    case 't':
        *good = make_pickle_list_of_marked(k, PLAIN_LIST);
        return true;
    case 'd':
        *good = make_pickle_list_of_marked(k, PLAIN_DICT);
        return true;
    case 0x85:
    case 0x86:
    case 0x87:
        *good = make_pickle_list(k, op - 0x84u, PLAIN_LIST);
        return true;
    case 'a':
        *good = append_in_pickle(k, 1, false, PLAIN_LIST);
        return true;
    case 'e':
        *good = append_marked_in_pickle(k, PLAIN_LIST);
        return true;
    case 's':
        *good = append_in_pickle(k, 2, false, PLAIN_DICT);
        return true;
    case 'u':
        *good = append_marked_in_pickle(k, PLAIN_DICT);
        return true;
    default:
        return false;
    }
}

/* Opcodes of the stack and the memory. */
static bool run_memory_opcode(struct pickle *k, unsigned char op, bool *good)
{
    uint32_t n;
    switch (op) {
    case 'q':
        *good = remember_in_pickle(k, pickle_take_size(k, 1));
        return true;
    case 'r':
        *good = remember_in_pickle(k, pickle_take_size(k, 4));
        return true;
    case 0x94:
        *good = remember_in_pickle(k, k->out->nmemo);
        return true;
    case 'h':
        *good = recall_in_pickle(k, pickle_take_size(k, 1));
        return true;
    case 'j':
        *good = recall_in_pickle(k, pickle_take_size(k, 4));
        return true;
    case '0':
        *good = pop_in_pickle(k);
        return true;
    case '1':
        *good = count_to_pickle_mark(k, &n);
        k->out->n -= *good ? n + 1 : 0;
        k->out->marks -= *good;
        return true;
    case '2':
        *good = look_at_pickle_stack(k, 0) && look_at_pickle_stack(k, 0)->type != PLAIN_MARK &&
                pickle_push(k, *look_at_pickle_stack(k, 0));
        return true;
    case 0x80: /* PROTO, FRAME: nothing to do */
        *good = pickle_take_size(k, 1) <= 5;
        return true;
    case 0x95:
        pickle_take_size(k, 8);
        *good = true;
        return true;
    case '.':
        k->ended = true;
        *good = k->out->n == 1 && k->out->marks == 0;
        return true;
    default:
        return false;
    }
}

static bool run_opcode(struct pickle *k, unsigned char op)
{
    bool good = false;
    if (!run_pushing_opcode(k, op, &good) && !run_memory_opcode(k, op, &good) &&
        !run_list_opcode(k, op, &good))
        pickle_fail(k, name_of_refused_opcode(op));
    if (!good)
        pickle_fail(k, "it is damaged");
    return !k->why;
}

static int refuse_pickle(const char *path, size_t at, const char *why, struct error *err)
{
    char what[160];
    snprintf(what, sizeof what, "%.120s: byte %zu", path, at);
    return error_set(err, ERROR_INPUT, EINVAL,
                     "dumps of PyTorch's flight recorder hold plain data only", what, "%s", why);
}

int plain_read_pickle(struct plain *p, const char *path, const char *text, size_t n,
                      struct error *err)
{
    struct pickle k = {.out = p, .text = text, .n = n};
    size_t at = 0;
    plain_reset(p);
    for (uint64_t step = 1; !k.ended; step++) {
        at = k.at;
        if (watch_stops(step))
            return watch_check(path, err);
        if (at == n)
            pickle_fail(&k, "it ends before its end: it was cut off");
        if (k.why || !run_opcode(&k, (unsigned char)text[k.at++]))
            return refuse_pickle(path, at, k.why, err);
    }
    p->root = p->stack[0];
    return 0;
}
