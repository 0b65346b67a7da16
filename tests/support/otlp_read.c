#include <inttypes.h>
#include "support/otlp_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A stretch of a message that is still to be read. */
struct part {
    const unsigned char *at, *end;
};

struct entry {
    unsigned field, wire;
    uint64_t value;   /* of numbers, whatever their wire type */
    struct part part; /* of wire type 2 */
};

static uint64_t base128(struct part *p)
{
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
        if (p->at == p->end || shift > 63)
            fail_msg("a varint has no end");
        v += (uint64_t)(*p->at % 128) << shift;
        if (*p->at++ < 128)
            return v;
    }
}

static uint64_t little(struct part *p, int bytes)
{
    uint64_t v = 0;
    if (p->end - p->at < bytes)
        fail_msg("a number is cut");
    for (int i = bytes; i-- > 0;)
        v = v * 256 + p->at[i];
    p->at += bytes;
    return v;
}

static bool next(struct part *p, struct entry *e)
{
    if (p->at == p->end)
        return false;
    const uint64_t tag = base128(p);
    *e = (struct entry){.field = (unsigned)(tag / 8), .wire = (unsigned)(tag % 8)};
    if (e->wire == 0)
        e->value = base128(p);
    else if (e->wire == 1)
        e->value = little(p, 8);
    else if (e->wire == 5)
        e->value = little(p, 4);
    else if (e->wire != 2)
        fail_msg("wire type %u", e->wire);
    if (e->wire != 2)
        return true;
    const uint64_t n = base128(p);
    if (n > (uint64_t)(p->end - p->at))
        fail_msg("field %u is longer than its message", e->field);
    e->part = (struct part){p->at, p->at + n};
    p->at += n;
    return true;
}

static void wants(const struct entry *e, unsigned wire)
{
    if (e->wire != wire)
        fail_msg("field %u has wire type %u, not %u", e->field, e->wire, wire);
}

/* --- texts --- */

/* Valid UTF-8, decided by the code point and not by tables of bytes. */
static void check_utf8(struct part p)
{
    while (p.at < p.end) {
        const unsigned c = *p.at++;
        const int more = c < 0x80 ? 0 : c >> 5 == 6 ? 1 : c >> 4 == 14 ? 2 : c >> 3 == 30 ? 3 : -1;
        static const unsigned least[] = {0, 0x80, 0x800, 0x10000};
        unsigned ch = more <= 0 ? c : c & (0x3fu >> more);
        for (int i = 0; i < more; i++) {
            if (p.at == p.end || *p.at >> 6 != 2)
                fail_msg("a text is no UTF-8");
            ch = ch << 6 | (*p.at++ & 0x3f);
        }
        if (more < 0 || ch < least[more] || ch > 0x10ffff || (ch >= 0xd800 && ch < 0xe000))
            fail_msg("a text is no UTF-8");
    }
}

static void text_of(const struct entry *e, char *out, size_t size)
{
    wants(e, 2);
    check_utf8(e->part);
    snprintf(out, size, "%.*s", (int)(e->part.end - e->part.at), (const char *)e->part.at);
}

static void hex_of(const struct entry *e, size_t bytes, char *out)
{
    wants(e, 2);
    if ((size_t)(e->part.end - e->part.at) != bytes)
        fail_msg("an identifier has %zu bytes", (size_t)(e->part.end - e->part.at));
    for (size_t i = 0; i < bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", e->part.at[i]);
}

static void put(char *out, size_t size, const char *text)
{
    const size_t n = strlen(out);
    snprintf(out + n, size - n, "%s", text);
}

/* --- attributes --- */

static void any_value(struct part p, char *out, size_t size)
{
    struct entry e, v;
    char text[4200];
    double real;
    while (next(&p, &e))
        switch (e.field) {
        case 1:
            text_of(&e, text, sizeof text);
            put(out, size, text);
            break;
        case 2:
        case 3:
            wants(&e, 0);
            snprintf(text, sizeof text, "%lld", (long long)e.value);
            put(out, size, text);
            break;
        case 4:
            wants(&e, 1);
            memcpy(&real, &e.value, sizeof real);
            snprintf(text, sizeof text, "%g", real);
            put(out, size, text);
            break;
        case 5:
            wants(&e, 2);
            put(out, size, "[");
            for (bool any = false; next(&e.part, &v); any = true) {
                put(out, size, any ? "|" : "");
                any_value(v.part, out, size);
            }
            put(out, size, "]");
            break;
        default:
            fail_msg("a value has field %u", e.field);
        }
}

static void key_value(struct part p, char *out, size_t size)
{
    struct entry e;
    char key[512];
    while (next(&p, &e)) {
        wants(&e, 2);
        if (e.field == 1) {
            text_of(&e, key, sizeof key);
            put(out, size, key);
            put(out, size, "=");
        } else if (e.field == 2) {
            any_value(e.part, out, size);
        } else {
            fail_msg("an attribute has field %u", e.field);
        }
    }
    put(out, size, "\n");
}

/* --- spans --- */

static void event(struct part p, struct read_span *s)
{
    struct entry e;
    char text[256];
    while (next(&p, &e)) {
        if (e.field == 1) {
            wants(&e, 1);
            if (e.value < s->begin || e.value > s->end)
                fail_msg("an event of %s at %" PRIu64 " is outside of its span, %" PRIu64
                         " to %" PRIu64,
                         s->name, e.value, s->begin, s->end);
        } else if (e.field == 2) {
            text_of(&e, text, sizeof text);
            put(s->events, sizeof s->events, text);
            put(s->events, sizeof s->events, "\n");
        } else if (e.field == 3) {
            key_value(e.part, s->events, sizeof s->events);
        } else {
            fail_msg("an event has field %u", e.field);
        }
    }
}

static void status(struct part p, struct read_span *s)
{
    struct entry e;
    while (next(&p, &e))
        if (e.field == 2)
            text_of(&e, s->message, sizeof s->message);
        else if (e.field == 3)
            s->status = e.value;
        else
            fail_msg("a status has field %u", e.field);
}

static void span_field(const struct entry *e, struct read_span *s)
{
    switch (e->field) {
    case 1:
        hex_of(e, 16, s->trace);
        break;
    case 2:
        hex_of(e, 8, s->id);
        break;
    case 3:
        text_of(e, s->state, sizeof s->state);
        break;
    case 4:
        hex_of(e, 8, s->parent);
        break;
    case 5:
        text_of(e, s->name, sizeof s->name);
        break;
    case 6:
        wants(e, 0);
        s->kind = e->value;
        break;
    case 7:
        wants(e, 1);
        s->begin = e->value;
        break;
    case 8:
        wants(e, 1);
        s->end = e->value;
        break;
    case 9:
        key_value(e->part, s->attrs, sizeof s->attrs);
        break;
    case 10:
        s->dropped_attributes = e->value;
        break;
    case 11:
        event(e->part, s);
        break;
    case 12:
        s->dropped_events = e->value;
        break;
    case 15:
        status(e->part, s);
        break;
    case 16:
        wants(e, 5);
        break;
    default:
        fail_msg("a span has field %u", e->field);
    }
}

static void span(struct part p, struct read_spans *all)
{
    struct entry e;
    if ((all->n & (all->n - 1)) == 0) /* room for twice as many, at each power of two */
        all->list = realloc(all->list, (all->n ? 2 * all->n : 1) * sizeof *all->list);
    struct read_span *s = &all->list[all->n++];
    *s = (struct read_span){.name = ""};
    while (next(&p, &e))
        span_field(&e, s);
    if (!s->trace[0] || !s->id[0] || strspn(s->trace, "0") == 32 || strspn(s->id, "0") == 16)
        fail_msg("span %s has no identifier", s->name);
    if (s->end < s->begin)
        fail_msg("span %s ends before it begins", s->name);
}

static void scope(struct part p, struct read_spans *all)
{
    struct entry e;
    while (next(&p, &e)) {
        char text[64];
        if (e.field == 1 || e.field == 2) {
            text_of(&e, text, sizeof text);
            put(all->scope, sizeof all->scope, text);
            put(all->scope, sizeof all->scope, " ");
        }
    }
}

static void scope_spans(struct part p, struct read_spans *all)
{
    struct entry e;
    all->scope[0] = '\0';
    while (next(&p, &e))
        if (e.field == 1)
            scope(e.part, all);
        else if (e.field == 2)
            span(e.part, all);
        else if (e.field == 3)
            text_of(&e, all->schema, sizeof all->schema);
        else
            fail_msg("ScopeSpans has field %u", e.field);
}

static void resource_spans(struct part p, struct read_spans *all)
{
    struct entry e, a;
    while (next(&p, &e)) {
        if (e.field == 1)
            for (all->resource[0] = '\0'; next(&e.part, &a);)
                key_value(a.part, all->resource, sizeof all->resource);
        else if (e.field == 2)
            scope_spans(e.part, all);
        else if (e.field != 3)
            fail_msg("ResourceSpans has field %u", e.field);
    }
}

void otlp_read(struct read_spans *s, const void *data, size_t n)
{
    struct part p = {data, (const unsigned char *)data + n};
    struct entry e;
    while (next(&p, &e)) {
        if (e.field != 1 || e.wire != 2)
            fail_msg("the message has field %u", e.field);
        resource_spans(e.part, s);
    }
}

void otlp_read_free(struct read_spans *s)
{
    free(s->list);
    *s = (struct read_spans){.n = 0};
}

const struct read_span *otlp_named(const struct read_spans *s, const char *name)
{
    const struct read_span *found = NULL;
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->list[i].name, name) == 0) {
            if (found)
                fail_msg("two spans are called %s", name);
            found = &s->list[i];
        }
    if (!found)
        fail_msg("no span is called %s", name);
    return found;
}

void otlp_has(const char *attrs, const char *line)
{
    const size_t n = strlen(line);
    for (const char *p = attrs; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        if (strncmp(p, line, n) == 0 && p[n] == '\n')
            return;
    fail_msg("%s is missing in\n%s", line, attrs);
}
