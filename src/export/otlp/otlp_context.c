#include "export/otlp/otlp_context.h"

#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/hash.h"
#include "base/ids.h"

static int hex_digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads n bytes of lower-case hexadecimal that are not all zero. */
static bool read_trace_id(const char *text, uint8_t *out, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        const int high = hex_digit_value(text[2 * i]),
                  low = high < 0 ? -1 : hex_digit_value(text[2 * i + 1]);
        if (low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
        any = any || out[i];
    }
    return any;
}

bool otlp_traceparent(const char *text, uint8_t trace[OTLP_TRACE_ID], uint8_t parent[OTLP_SPAN_ID])
{
    enum { VERSION = 0, TRACE = 3, PARENT = 36, FLAGS = 53, ALL = 55 };
    const size_t n = text ? strlen(text) : 0;
    if (n < ALL || text[2] != '-' || text[35] != '-' || text[52] != '-')
        return false;
    const int high = hex_digit_value(text[VERSION]), low = hex_digit_value(text[VERSION + 1]);
    if (high < 0 || low < 0 || (high == 15 && low == 15))
        return false;
    if (n > ALL && ((high == 0 && low == 0) || text[ALL] != '-')) /* later versions may add parts */
        return false;
    return hex_digit_value(text[FLAGS]) >= 0 && hex_digit_value(text[FLAGS + 1]) >= 0 &&
           read_trace_id(text + TRACE, trace, OTLP_TRACE_ID) &&
           read_trace_id(text + PARENT, parent, OTLP_SPAN_ID);
}

/* Whether text is printable ASCII, as the header allows. */
static bool is_state(const char *text)
{
    for (const char *p = text; *p; p++)
        if (*p < ' ' || *p > '~')
            return false;
    return strlen(text) < OTLP_STATE;
}

static bool from_environment(struct otlp_context *c)
{
    *c = (struct otlp_context){0};
    const char *state = env_get("TRACESTATE");
    if (!otlp_traceparent(env_get("TRACEPARENT"), c->trace, c->parent)) {
        *c = (struct otlp_context){0};
        return false;
    }
    if (state && is_state(state))
        snprintf(c->state, sizeof c->state, "%s", state);
    return true;
}

static void put_big(uint8_t out[8], uint64_t v)
{
    for (size_t i = 0; i < 8; i++)
        out[i] = (uint8_t)(v >> (56 - 8 * i));
}

void otlp_context_new(struct otlp_context *c)
{
    if (!from_environment(c))
        env_random(c->trace, sizeof c->trace);
    c->trace[0] |= c->trace[0] == 0; /* an identifier of zeroes is not valid */
    env_random(&c->salt, sizeof c->salt);
}

void otlp_context_of(struct otlp_context *c, uint64_t key)
{
    c->salt = 0;
    const bool given = from_environment(c);
    if (!given) {
        put_big(c->trace, hash_number(key, 1) | UINT64_C(1) << 63);
        put_big(c->trace + 8, hash_number(key, 2));
    }
    c->salt = hash_number(key, 3);
}

static void make_span_id(uint64_t salt, uint64_t n, uint8_t id[OTLP_SPAN_ID])
{
    uint64_t v = ids_mix(salt ^ n); /* a permutation of the 64-bit numbers */
    put_big(id, v ? v : UINT64_C(0x5555555555555555));
}

void otlp_context_id(const struct otlp_context *c, uint64_t n, uint8_t id[OTLP_SPAN_ID])
{
    make_span_id(c->salt, n, id);
}

void otlp_context_id_in(const struct otlp_context *c, uint64_t program, uint64_t n,
                        uint8_t id[OTLP_SPAN_ID])
{
    make_span_id(hash_number(c->salt, program), n, id);
}

static void write_hex_id(char *out, const uint8_t *id, size_t n)
{
    for (size_t i = 0; i < n; i++)
        snprintf(out + 2 * i, 3, "%02x", id[i]);
}

void otlp_context_pass(const struct otlp_context *c, const uint8_t id[OTLP_SPAN_ID])
{
    char trace[2 * OTLP_TRACE_ID + 1], parent[2 * OTLP_SPAN_ID + 1], text[OTLP_TRACEPARENT];
    write_hex_id(trace, c->trace, OTLP_TRACE_ID);
    write_hex_id(parent, id, OTLP_SPAN_ID);
    snprintf(text, sizeof text, "00-%s-%s-01", trace, parent);
    env_put("TRACEPARENT", text);
    env_put("TRACESTATE", c->state[0] ? c->state : NULL);
}
