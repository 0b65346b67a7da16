#include "gpu/msgpack.h"

#include <string.h>

void msgpack_open(struct msgpack *r, const void *bytes, size_t n)
{
    *r = (struct msgpack){.start = bytes, .p = bytes, .end = (const uint8_t *)bytes + n};
}

size_t msgpack_at(const struct msgpack *r)
{
    return (size_t)(r->p - r->start);
}

static bool fail_msgpack(struct msgpack *r, const char *why)
{
    if (!r->bad)
        r->bad = why;
    return false;
}

/* Reads n bytes, most significant first. */
static bool take_big_endian(struct msgpack *r, size_t n, uint64_t *out)
{
    *out = 0;
    if ((size_t)(r->end - r->p) < n)
        return fail_msgpack(r, "a number passes the end");
    for (size_t i = 0; i < n; i++)
        *out = *out << 8 | r->p[i];
    r->p += n;
    return true;
}

static bool take_msgpack_text(struct msgpack *r, enum msgpack_type type, uint64_t n,
                              struct msgpack_value *out)
{
    if ((uint64_t)(r->end - r->p) < n)
        return fail_msgpack(r, "a text passes the end");
    out->type = type;
    out->text = (const char *)r->p;
    out->n = (uint32_t)n;
    r->p += n;
    return true;
}

/* Each element takes at least one byte, so there cannot be more elements than bytes. */
static bool take_many(struct msgpack *r, enum msgpack_type type, uint64_t n,
                      struct msgpack_value *out)
{
    uint64_t values = type == MSGPACK_MAP ? n * 2 : n;
    if (values > (uint64_t)(r->end - r->p))
        return fail_msgpack(r, "an array or map has more elements than there are bytes");
    out->type = type;
    out->n = (uint32_t)n;
    return true;
}

static bool take_msgpack_unsigned(struct msgpack *r, size_t n, struct msgpack_value *out)
{
    out->type = MSGPACK_UNSIGNED;
    return take_big_endian(r, n, &out->u);
}

static bool take_msgpack_signed(struct msgpack *r, size_t n, struct msgpack_value *out)
{
    uint64_t u = 0;
    if (!take_big_endian(r, n, &u))
        return false;
    unsigned shift = (unsigned)(64 - 8 * n);
    out->i = (int64_t)(u << shift) >> shift;
    out->type = out->i < 0 ? MSGPACK_SIGNED : MSGPACK_UNSIGNED;
    out->u = out->i < 0 ? 0 : (uint64_t)out->i;
    return true;
}

static bool take_float(struct msgpack *r, size_t n, struct msgpack_value *out)
{
    uint64_t u = 0;
    out->type = MSGPACK_FLOAT;
    if (!take_big_endian(r, n, &u))
        return false;
    if (n == 4) {
        uint32_t bits = (uint32_t)u;
        float f;
        memcpy(&f, &bits, sizeof f);
        out->f = (double)f;
    } else {
        memcpy(&out->f, &u, sizeof out->f);
    }
    return true;
}

/* Reads a length of n bytes, then `more` bytes (an extension's type) and the content. */
static bool take_long(struct msgpack *r, enum msgpack_type type, size_t n, uint64_t more,
                      struct msgpack_value *out)
{
    uint64_t length = 0;
    if (!take_big_endian(r, n, &length))
        return false;
    if (type == MSGPACK_ARRAY || type == MSGPACK_MAP)
        return take_many(r, type, length, out);
    return take_msgpack_text(r, type, length + more, out);
}

/* The forms from 0xc0 to 0xdf. Source: the MessagePack specification, "Formats". */
static bool take_form(struct msgpack *r, unsigned form, struct msgpack_value *out)
{
    switch (form) {
    case 0xc0:
        return true;
    case 0xc2:
    case 0xc3:
        out->type = MSGPACK_BOOL;
        out->boolean = form == 0xc3;
        return true;
    case 0xc4:
    case 0xc5:
    case 0xc6:
        return take_long(r, MSGPACK_BINARY, (size_t)1 << (form - 0xc4), 0, out);
    case 0xc7:
    case 0xc8:
    case 0xc9:
        return take_long(r, MSGPACK_BINARY, (size_t)1 << (form - 0xc7), 1, out);
    case 0xca:
        return take_float(r, 4, out);
    case 0xcb:
        return take_float(r, 8, out);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
        return take_msgpack_unsigned(r, (size_t)1 << (form - 0xcc), out);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return take_msgpack_signed(r, (size_t)1 << (form - 0xd0), out);
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8:
        return take_msgpack_text(r, MSGPACK_BINARY, ((uint64_t)1 << (form - 0xd4)) + 1, out);
    case 0xd9:
    case 0xda:
    case 0xdb:
        return take_long(r, MSGPACK_STRING, (size_t)1 << (form - 0xd9), 0, out);
    case 0xdc:
    case 0xdd:
        return take_long(r, MSGPACK_ARRAY, (size_t)2 << (form - 0xdc), 0, out);
    case 0xde:
    case 0xdf:
        return take_long(r, MSGPACK_MAP, (size_t)2 << (form - 0xde), 0, out);
    default: /* 0xc1 */
        r->p--;
        return fail_msgpack(r, "a byte that begins no value");
    }
}

bool msgpack_next(struct msgpack *r, struct msgpack_value *out)
{
    *out = (struct msgpack_value){.type = MSGPACK_NIL};
    if (r->bad || r->p >= r->end)
        return false;
    unsigned form = *r->p++;
    if (form < 0x80) {
        out->type = MSGPACK_UNSIGNED;
        out->u = form;
        return true;
    }
    if (form < 0x90)
        return take_many(r, MSGPACK_MAP, form & 15, out);
    if (form < 0xa0)
        return take_many(r, MSGPACK_ARRAY, form & 15, out);
    if (form < 0xc0)
        return take_msgpack_text(r, MSGPACK_STRING, form & 31, out);
    if (form < 0xe0)
        return take_form(r, form, out);
    out->type = MSGPACK_SIGNED;
    out->i = (int)form - 256;
    return true;
}

static uint64_t values_inside(const struct msgpack_value *v)
{
    if (v->type == MSGPACK_MAP)
        return 2 * (uint64_t)v->n;
    return v->type == MSGPACK_ARRAY ? v->n : 0;
}

bool msgpack_skip(struct msgpack *r, const struct msgpack_value *v)
{
    struct msgpack_value each;
    /* The sum of 32-bit counts, each of which took a byte, cannot overflow. */
    for (uint64_t left = values_inside(v); left; left--) {
        if (!msgpack_next(r, &each))
            return fail_msgpack(r, "the end comes inside an array or map");
        left += values_inside(&each);
    }
    return true;
}

bool msgpack_is(const struct msgpack_value *v, const char *text)
{
    return v->type == MSGPACK_STRING && strlen(text) == v->n && memcmp(text, v->text, v->n) == 0;
}

bool msgpack_expect(struct msgpack *r, enum msgpack_type type, struct msgpack_value *out)
{
    static const char *const wanted[] = {
        [MSGPACK_NIL] = "nil was expected",
        [MSGPACK_BOOL] = "a boolean was expected",
        [MSGPACK_UNSIGNED] = "a number of 0 or more was expected",
        [MSGPACK_SIGNED] = "a number was expected",
        [MSGPACK_FLOAT] = "a fraction was expected",
        [MSGPACK_STRING] = "a text was expected",
        [MSGPACK_BINARY] = "bytes were expected",
        [MSGPACK_ARRAY] = "an array was expected",
        [MSGPACK_MAP] = "a map was expected",
    };
    const uint8_t *at = r->p;
    if (!msgpack_next(r, out))
        return fail_msgpack(r, "the end comes where a value should be");
    if (out->type == type)
        return true;
    r->p = at;
    return fail_msgpack(r, wanted[type]);
}
