/* Dispatches are stored compactly and restored exactly, in any order of nodes and numbers. */
#include <string.h>

#include "engine/trace/trace_dispatches.h"
#include "support/test.h"

enum { MANY = 70000 };

static struct trace_dispatch made(uint32_t node, uint64_t id, uint32_t shape)
{
    return (struct trace_dispatch){.node = node,
                                   .id = id,
                                   .agent = shape % 3,
                                   .vgprs = shape,
                                   .accum_vgprs = TRACE_UNKNOWN,
                                   .sgprs = shape / 7,
                                   .lds_bytes = shape * 5,
                                   .scratch_bytes = TRACE_UNKNOWN};
}

static void is(const struct trace_dispatch *d, const struct trace_dispatch *want)
{
    assert_true(d->node == want->node && d->id == want->id && d->agent == want->agent &&
                d->vgprs == want->vgprs && d->accum_vgprs == want->accum_vgprs &&
                d->sgprs == want->sgprs && d->lds_bytes == want->lds_bytes &&
                d->scratch_bytes == want->scratch_bytes);
}

static void check(struct trace_dispatch (*of)(uint32_t i))
{
    struct trace_dispatches l = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        struct trace_dispatch d = of(i);
        trace_dispatches_add(&l, d.node, d.id, trace_dispatches_launch(&l, &d));
    }
    assert_int_equal(l.n, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        struct trace_dispatch d = trace_dispatches_at(&l, i), want = of(i);
        is(&d, &want);
        assert_int_equal(trace_dispatches_node(&l, i), want.node);
    }
    trace_dispatches_sort(&l);
    for (uint32_t i = 1; i < MANY; i++)
        assert_true(trace_dispatches_node(&l, i - 1) <= trace_dispatches_node(&l, i));
    trace_dispatches_free(&l);
}

static struct trace_dispatch counting(uint32_t i)
{
    return made(i + 9, i + 1, i % 50);
}

static struct trace_dispatch leaps(uint32_t i)
{
    return made(i * 3, 1000000 - (uint64_t)i * 7, i % 50);
}

/* Values that follow each other first, then arbitrary ones. */
static struct trace_dispatch both(uint32_t i)
{
    return i < 1000 ? made(i, i, 0) : made(1000 + (i * 7919) % 100003, i % 5, i % 9);
}

/* More shapes than 16 bits can count, and numbers beyond 32 bits. */
static struct trace_dispatch large(uint32_t i)
{
    return made(MANY - i, (UINT64_C(1) << 40) * (i % 3) + i, i);
}

TEST(all_come_back)
{
    check(counting);
    check(leaps);
    check(both);
    check(large);
}

TEST(sorting_keeps_what_belongs_together)
{
    struct trace_dispatches l = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        struct trace_dispatch d = large(i);
        trace_dispatches_add(&l, d.node, d.id, trace_dispatches_launch(&l, &d));
    }
    trace_dispatches_sort(&l);
    for (uint32_t i = 0; i < MANY; i++) {
        struct trace_dispatch d = trace_dispatches_at(&l, i), want = large(MANY - 1 - i);
        is(&d, &want);
    }
    trace_dispatches_free(&l);
}

TEST(consecutive_numbers_take_no_room)
{
    struct trace_dispatches l = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        struct trace_dispatch d = counting(i);
        trace_dispatches_add(&l, d.node, d.id, trace_dispatches_launch(&l, &d));
    }
    assert_int_equal(l.node.nruns, 1);
    assert_int_equal(l.id.nruns, 1);
    assert_int_equal(l.nlaunches, 50);
    assert_null(l.node.plain);
    trace_dispatches_free(&l);
}
