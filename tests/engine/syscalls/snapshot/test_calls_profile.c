/* Functions in system calls as a profile, against the sums by function that --function-time makes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/functions/functions.h"
#include "engine/functions/hot_calls.h"
#include "engine/syscalls/functions.h"
#include "engine/syscalls/snapshot/calls_profile.h"
#include "engine/syscalls/snapshot/gather.h"
#include "support/test.h"

enum { FUNCTIONS = 12, DEPTH = 9, EVENTS = 4000, STACKS = 300 };

static char names[FUNCTIONS][8];
static struct syscall_frame frames[FUNCTIONS];
static uint32_t seed;

static uint32_t next_random(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

/* Functions call each other in any order, also themselves. */
static void make_frames(void)
{
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        snprintf(names[i], sizeof names[i], "f%u", i);
        frames[i] = (struct syscall_frame){.function = names[i],
                                           .module = i % 3 ? "/bin/p" : "/lib/q.so",
                                           .file = "p.c",
                                           .address = 0x1000 * i + 7,
                                           .offset = 7,
                                           .line = (int)i + 10};
    }
}

static struct syscalls_snapshot *make_trace(struct syscall_functions *oracle,
                                            struct syscall_stacks *kept)
{
    struct syscalls_gather *g = syscalls_gather_new(&syscalls_limits_saved);
    const struct syscall_stack *stacks[STACKS];
    for (unsigned i = 0; i < STACKS; i++) {
        struct syscall_frame list[DEPTH];
        const uint32_t n = 1 + next_random(DEPTH);
        for (uint32_t k = 0; k < n; k++)
            list[k] = frames[next_random(FUNCTIONS)];
        stacks[i] = syscall_stacks_add(kept, list, n, false);
    }
    for (uint64_t i = 0; i < EVENTS; i++) {
        const uint64_t begin = 1 + i * 100000, ns = next_random(90000);
        struct syscall_event e = {.kind = SYSCALL_CALL,
                                  .pid = 1,
                                  .tid = 1,
                                  .number = next_random(3),
                                  .begin_ns = begin,
                                  .end_ns = begin + ns,
                                  .stack = i % 50 ? stacks[next_random(STACKS)] : NULL};
        syscalls_gather_add(g, &e);
        syscall_functions_add(oracle, &e);
    }
    struct syscalls_snapshot *p = syscalls_gather_snapshot(g, 0);
    syscalls_gather_free(g);
    return p;
}

/* What the oracle says of a symbol of the profile. */
static const struct syscall_function *answer(const struct syscall_functions *oracle,
                                             const struct hot_symbol *s)
{
    for (size_t i = 0; i < oracle->n; i++)
        if (strcmp(oracle->list[i].name, s->name) == 0 &&
            strcmp(oracle->list[i].module, s->path) == 0)
            return &oracle->list[i];
    return NULL;
}

static void compare(const struct calls_profile *c, const struct syscall_functions *oracle)
{
    const struct hot_stacks *p = &c->stacks;
    const bool time = p->weight == HOT_TIME;
    struct function_row *rows;
    const size_t n = functions_list(p, &rows);
    uint64_t self = 0;
    size_t found = 0;
    assert_int_equal(c->calls, oracle->calls);
    assert_int_equal(c->total_ns, oracle->total_ns);
    assert_int_equal(p->samples, time ? oracle->total_ns : oracle->calls);
    for (size_t i = 0; i < n; i++) {
        const struct hot_symbol *s = &p->symbols[rows[i].symbol];
        const struct syscall_function *f = answer(oracle, s);
        self += rows[i].self;
        if (s->where != HOT_USER)
            continue;
        assert_non_null(f);
        found++;
        assert_int_equal(rows[i].self, 0);
        assert_int_equal(rows[i].total, time ? f->total_ns : f->calls);
    }
    assert_int_equal(self, p->samples);
    assert_int_equal(found, FUNCTIONS);
    free(rows);
}

/* A parent is before its children, siblings come by name, and no two are the same. */
static void nodes_are_in_order(const struct hot_stacks *p)
{
    uint32_t *last = calloc(p->nnodes + 1, sizeof *last); /* 1 + the last child so far */
    for (size_t i = 0; i < p->nnodes; i++) {
        const int32_t parent = p->nodes[i].parent;
        uint32_t *before = &last[parent + 1];
        assert_true(parent < (int32_t)i);
        if (*before)
            assert_true(strcmp(p->symbols[p->nodes[*before - 1].symbol].name,
                               p->symbols[p->nodes[i].symbol].name) != 0);
        if (*before && p->symbols[p->nodes[*before - 1].symbol].where == HOT_USER &&
            p->symbols[p->nodes[i].symbol].where == HOT_USER)
            assert_true(strcmp(p->symbols[p->nodes[*before - 1].symbol].name,
                               p->symbols[p->nodes[i].symbol].name) < 0);
        *before = (uint32_t)i + 1;
    }
    free(last);
}

TEST(shares_are_those_of_function_time)
{
    make_frames();
    for (seed = 1; seed < 2000; seed += next_random(500) + 1) {
        const uint32_t begin = seed;
        struct syscall_functions oracle = {.slow_ns = 1};
        struct syscall_stacks *kept = syscall_stacks_new(1 << 20);
        struct syscalls_snapshot *p = make_trace(&oracle, kept);
        struct calls_profile c;
        for (int weight = HOT_TIME; weight <= HOT_CALLS; weight++) {
            calls_profile_make(&c, p, (enum hot_weight)weight);
            compare(&c, &oracle);
            assert_int_equal(c.without, EVENTS / 50);
            nodes_are_in_order(&c.stacks);
            calls_profile_free(&c);
        }
        calls_profile_add(p);
        compare(p->by_function[0], &oracle);
        compare(p->by_function[1], &oracle);
        syscalls_snapshot_unref(p);
        syscall_functions_free(&oracle);
        syscall_stacks_free(kept);
        seed = begin;
    }
}

/* A line counts once for each stack, however often it is on it. */
TEST(a_recursion_counts_once_at_its_line)
{
    make_frames();
    const struct syscall_frame *list[] = {&frames[1], &frames[1], &frames[1], &frames[2]};
    const struct syscall_stack stack = {.n = 4, .frames = list};
    struct syscalls_gather *g = syscalls_gather_new(&syscalls_limits_saved);
    syscalls_gather_add(g, &(struct syscall_event){
                               .kind = SYSCALL_CALL, .begin_ns = 1, .end_ns = 51, .stack = &stack});
    struct syscalls_snapshot *p = syscalls_gather_snapshot(g, 0);
    struct calls_profile c;
    syscalls_gather_free(g);
    calls_profile_make(&c, p, HOT_TIME);
    assert_int_equal(c.stacks.nplaces, 2);
    for (size_t i = 0; i < c.stacks.nplaces; i++)
        assert_int_equal(c.stacks.places[i].samples, 50);
    calls_profile_free(&c);
    syscalls_snapshot_unref(p);
}
