/*
 * Any bytes in the shared memory of a trace, written by the traced program before rooftop reads it
 * and while it does: an input is a list of steps, which are taken between the reads and from inside
 * them, at each event.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/recorder/recorder_impl.h"
#include "engine/syscalls/memory.h"

enum { RINGS = 3, READS = 64 };

struct input {
    const uint8_t *at, *end;
    struct rings *rings;
    uint64_t heads[RINGS];
    uint32_t events, sum;
};

static uint64_t take(struct input *in, size_t n)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n && in->at < in->end; i++)
        value |= (uint64_t)*in->at++ << 8 * i;
    return value;
}

/* A record as the recorder writes it, but for what it says. */
static void put_record(struct input *in, uint32_t i)
{
    struct syscall_ring *ring = share_ring(in->rings->share, i);
    const uint64_t at = in->heads[i]++;
    struct syscall_record *c = &share_records(ring)[at % SYSCALL_RING_RECORDS];
    const unsigned kind = (unsigned)take(in, 1);
    *c = (struct syscall_record){.number = (uint32_t)take(in, 2),
                                 .stamp = syscall_record_stamp(at, kind % 8),
                                 .tsc = kind & 8 ? take(in, 8) : tsc_now()};
    for (unsigned k = 0; k < 4; k++)
        c->data[k] = take(in, kind & 16 ? 8 : 1);
    ring->head = in->heads[i];
}

static void write_word(void *base, size_t size, struct input *in)
{
    const size_t at = take(in, 2) * 4 % (size / 4 * 4);
    const uint32_t value = (uint32_t)take(in, 4);
    memcpy((uint8_t *)base + at, &value, sizeof value);
}

/* What the program does. False: it is rooftop's turn. */
static bool step(struct input *in)
{
    struct share *s = in->rings->share;
    struct syscall_control *c = s->control;
    const unsigned op = (unsigned)take(in, 1);
    const uint32_t i = op / 8 % RINGS;
    switch (op % 8) {
    case 0:
        return false;
    case 1:
        write_word(c, offsetof(struct syscall_control, copies_from), in);
        break;
    case 2:
        c->states[take(in, 2) % (SYSCALL_RING_CHUNKS * SYSCALL_RING_PER_CHUNK)] =
            (uint32_t)take(in, 1) % 8;
        break;
    case 3:
        write_word(share_ring(s, i), sizeof(struct syscall_ring), in);
        break;
    case 4:
        share_ring(s, i)->pid = (int32_t)take(in, 1);
        share_ring(s, i)->tid = (int32_t)take(in, 1);
        share_ring(s, i)->parent = (int32_t)take(in, 1);
        c->states[i] = SYSCALL_RING_USED;
        break;
    case 5:
        write_word(share_records(share_ring(s, i)), 64 * sizeof(struct syscall_record), in);
        break;
    default:
        put_record(in, i);
    }
    return true;
}

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct input *in = ctx;
    if (e->tid <= 0 || e->pid <= 0 || (e->end_ns && e->end_ns < e->begin_ns) ||
        e->begin_ns < in->rings->clock.ns)
        abort();
    for (uint32_t i = 0; i < e->npieces; i++) { /* all of it is there */
        if (e->pieces[i].offset + (uint64_t)e->pieces[i].size > SYSCALL_PIECES)
            abort();
        for (uint32_t k = 0; k < e->pieces[i].size; k++)
            in->sum += e->bytes[e->pieces[i].offset + k];
    }
    if (in->events++ < READS * 8)
        step(in);
}

static void rooftop_turn(struct input *in)
{
    struct rings *r = in->rings;
    switch (take(in, 1) % 8) {
    case 0:
        rings_reap(r, take(in, 1) & 1);
        break;
    case 1:
        rings_executed(r, (pid_t)take(in, 1), (pid_t)take(in, 1));
        break;
    case 2:
        if (r->share->nchunks < 3)
            share_grow(r->share);
        break;
    case 3:
        rings_quiet(r, (pid_t)take(in, 1));
        break;
    case 4:
        rings_catch_up(r);
        break;
    default:
        rings_read(r);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tracer_setup setup;
    static struct share share;
    struct error why = ERROR_INIT;
    struct input in = {.at = data, .end = data + size};
    const struct syscall_sink sink = {.event = on_event, .entries = true, .ctx = &in};
    struct tracer_result result = {0};
    if (share_open(&share, "/none", &why) != 0) /* no room for shared memory on this machine */
        return 0;
    struct rings rings = {.share = &share, .setup = &setup, .sink = &sink, .result = &result};
    in.rings = &rings;
    rings_open(&rings);
    for (int reads = 0; in.at < in.end && reads < READS;) {
        if (step(&in))
            continue;
        rooftop_turn(&in);
        reads++;
    }
    rings_catch_up(&rings);
    if (share_rings(&share) != share.nchunks * SYSCALL_RING_PER_CHUNK)
        abort();
    rings_close(&rings);
    share_close(&share);
    return 0;
}
