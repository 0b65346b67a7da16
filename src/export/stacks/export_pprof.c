#include "export/stacks/export_pprof.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* Field numbers of profile.proto. */
enum { SAMPLE_TYPE = 1, SAMPLE = 2, LOCATION = 4, FUNCTION = 5, TEXT = 6, DURATION = 10 };
/* Numbers of texts: 0 is "", as profile.proto wants; then the type and the unit, then two texts
 * for each symbol. */
enum { TEXT_TYPE = 1, TEXT_UNIT = 2, TEXT_SYMBOLS = 3 };

struct proto_bytes {
    uint8_t *p;
    size_t n, cap;
};

static void put_proto_number(struct proto_bytes *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        LIST_ADD(b->p, b->n, b->cap, (uint8_t)(v | 0x80));
    LIST_ADD(b->p, b->n, b->cap, (uint8_t)v);
}

static void put_proto_value(struct proto_bytes *b, unsigned field, uint64_t v)
{
    put_proto_number(b, (uint64_t)field << 3);
    put_proto_number(b, v);
}

/* A field that holds bytes: a text, or another message. */
static void put_proto_bytes(struct proto_bytes *b, unsigned field, const void *p, size_t n)
{
    put_proto_number(b, (uint64_t)field << 3 | 2);
    put_proto_number(b, n);
    LIST_FIT(b->p, b->n + n, b->cap);
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n += n;
}

/* Writes the message as a field of the profile, and forgets it. */
static void write_proto_message(FILE *out, unsigned field, struct proto_bytes *message)
{
    struct proto_bytes whole = {0};
    put_proto_bytes(&whole, field, message->p, message->n);
    fwrite(whole.p, 1, whole.n, out); /* raw: a binary format */
    free(whole.p);
    message->n = 0;
}

static void write_pprof_text(FILE *out, const char *text)
{
    struct proto_bytes b = {0};
    put_proto_bytes(&b, TEXT, text, strlen(text));
    fwrite(b.p, 1, b.n, out); /* raw: a binary format */
    free(b.p);
}

static void write_pprof_samples(FILE *out, const struct hot_stacks *p)
{
    struct proto_bytes sample = {0}, stack = {0}, value = {0};
    for (size_t i = 0; i < p->nnodes; i++) {
        if (p->nodes[i].self == 0)
            continue;
        stack.n = value.n = 0;
        for (int32_t at = (int32_t)i; at >= 0; at = p->nodes[at].parent)
            put_proto_number(&stack, (uint64_t)p->nodes[at].symbol + 1);
        put_proto_number(&value, p->nodes[i].self);
        put_proto_bytes(&sample, 1, stack.p, stack.n);
        put_proto_bytes(&sample, 2, value.p, value.n);
        write_proto_message(out, SAMPLE, &sample);
    }
    free(sample.p);
    free(stack.p);
    free(value.p);
}

static void write_pprof_symbols(FILE *out, const struct hot_stacks *p)
{
    struct proto_bytes message = {0}, line = {0};
    for (size_t i = 0; i < p->nsymbols; i++) {
        line.n = 0;
        put_proto_value(&line, 1, i + 1);
        put_proto_value(&message, 1, i + 1);
        put_proto_bytes(&message, 4, line.p, line.n);
        write_proto_message(out, LOCATION, &message);
        put_proto_value(&message, 1, i + 1);
        put_proto_value(&message, 2, TEXT_SYMBOLS + 2 * i);
        put_proto_value(&message, 4, TEXT_SYMBOLS + 2 * i + 1);
        if (p->symbols[i].line > 0)
            put_proto_value(&message, 5, (uint64_t)p->symbols[i].line);
        write_proto_message(out, FUNCTION, &message);
    }
    free(message.p);
    free(line.p);
}

void export_pprof(FILE *out, const struct hot_stacks *p)
{
    static const char *const words[HOT_WEIGHTS][2] = {
        [HOT_SAMPLES] = {"samples", "count"}, [HOT_TIME] = {"calls", "nanoseconds"},
        [HOT_CALLS] = {"calls", "count"},     [HOT_CPU_TIME] = {"cpu", "nanoseconds"},
        [HOT_BYTES] = {"space", "bytes"},     [HOT_EVENTS] = {"events", "count"}};
    const char *const *word = words[p->weight < HOT_WEIGHTS ? p->weight : HOT_SAMPLES];
    const bool named = p->event && (p->weight == HOT_CPU_TIME || p->weight == HOT_BYTES ||
                                    p->weight == HOT_EVENTS);
    struct proto_bytes b = {0};
    put_proto_value(&b, 1, TEXT_TYPE);
    put_proto_value(&b, 2, TEXT_UNIT);
    write_proto_message(out, SAMPLE_TYPE, &b);
    write_pprof_samples(out, p);
    write_pprof_symbols(out, p);
    write_pprof_text(out, "");
    write_pprof_text(out, named ? p->event : word[0]);
    write_pprof_text(out, word[1]);
    for (size_t i = 0; i < p->nsymbols; i++) {
        write_pprof_text(out, p->symbols[i].name);
        write_pprof_text(out, p->symbols[i].file);
    }
    if (p->seconds > 0)
        put_proto_value(&b, DURATION, (uint64_t)(p->seconds * 1e9));
    if (b.n)
        fwrite(b.p, 1, b.n, out); /* raw: a binary format */
    free(b.p);
}
