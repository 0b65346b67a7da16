/* The numbers and texts of a pickle. */
#include <string.h>

#include "backends/flight/pickle_impl.h"
#include "base/list.h"

/* --- bytes --- */

bool pickle_fail(struct pickle *k, const char *why)
{
    if (!k->why)
        k->why = why;
    return false;
}

/* The next bytes, or NULL where the file ends before. */
static const char *take_pickle_bytes(struct pickle *k, uint64_t n)
{
    const char *at = k->text + k->at;
    if (n > k->n - k->at) {
        pickle_fail(k, "it ends before what it announces: it was cut off, or is damaged");
        return NULL;
    }
    k->at += n;
    return at;
}

/* An integer without sign, the least significant byte first. */
uint64_t pickle_take_size(struct pickle *k, unsigned bytes)
{
    const char *at = take_pickle_bytes(k, bytes);
    uint64_t v = 0;
    for (unsigned i = 0; at && i < bytes; i++)
        v |= (uint64_t)(unsigned char)at[i] << (8 * i);
    return v;
}

/* --- the stack --- */

bool pickle_push(struct pickle *k, struct plain_value v)
{
    struct plain *p = k->out;
    if (p->n >= PLAIN_VALUES_MAX)
        return pickle_fail(k, "it has more values than a dump can have");
    LIST_ADD(p->stack, p->n, p->room, v);
    return true;
}

bool pickle_push_text(struct pickle *k, uint64_t n)
{
    const char *at = n <= UINT32_MAX ? take_pickle_bytes(k, n) : NULL;
    if (!at)
        return pickle_fail(k, "it ends before what it announces: it was cut off, or is damaged");
    return pickle_push(k,
                       (struct plain_value){.type = PLAIN_TEXT, .size = (uint32_t)n, .text = at});
}

bool pickle_push_number(struct pickle *k, int64_t v)
{
    return pickle_push(k, (struct plain_value){.type = PLAIN_NUMBER, .number = v});
}

/* An integer of any number of bytes, with sign. One of more than 64 bits is nothing to a dump. */
bool pickle_push_long(struct pickle *k, uint64_t n)
{
    const char *at = take_pickle_bytes(k, n);
    uint64_t v = 0;
    if (!at)
        return false;
    if (n > sizeof v)
        return pickle_push(k, (struct plain_value){.type = PLAIN_NONE});
    for (uint64_t i = 0; i < n; i++)
        v |= (uint64_t)(unsigned char)at[i] << (8 * i);
    if (n && n < sizeof v && at[n - 1] & 0x80)
        v |= UINT64_MAX << (8 * n);
    return pickle_push_number(k, (int64_t)v);
}

bool pickle_push_float(struct pickle *k)
{
    const char *at = take_pickle_bytes(k, sizeof(double));
    uint64_t v = 0;
    struct plain_value out = {.type = PLAIN_REAL};
    for (size_t i = 0; at && i < sizeof v; i++)
        v = v << 8 | (unsigned char)at[i];
    memcpy(&out.real, &v, sizeof v);
    return at && pickle_push(k, out);
}
