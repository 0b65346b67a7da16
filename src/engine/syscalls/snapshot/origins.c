#include "engine/syscalls/snapshot/origins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"

static struct syscalls_stack_sum *find_sum(struct stack_sums *s, const struct syscall_event *e,
                                           const struct syscall_stack *stack)
{
    const uint64_t hash = hash_number((uintptr_t)stack, (uint64_t)e->abi << 32 | e->number);
    HASH_EACH (&s->index, hash, i)
        if (s->list[i].stack == stack && s->list[i].abi == e->abi && s->list[i].number == e->number)
            return &s->list[i];
    if (stack && s->n >= STACK_SUMS_MOST)
        return find_sum(s, e, NULL);
    hash_table_add(&s->index, hash, s->n);
    LIST_ROOM(s->list, s->n, s->cap);
    s->list[s->n] = (struct syscalls_stack_sum){.stack = stack, .abi = e->abi, .number = e->number};
    return &s->list[s->n++];
}

void stack_sums_add(struct stack_sums *s, const struct syscall_event *e,
                    const struct syscall_stack *stack)
{
    const uint64_t ns =
        e->flags & SYSCALL_NO_TIMES || e->end_ns < e->begin_ns ? 0 : e->end_ns - e->begin_ns;
    struct syscalls_stack_sum *sum = find_sum(s, e, stack);
    sum->calls++;
    sum->errors += syscall_failed(e);
    sum->total_ns += ns;
    sum->max_ns = ns > sum->max_ns ? ns : sum->max_ns;
    sum->bytes += syscalls_bytes_moved(e);
}

void stack_sums_free(struct stack_sums *s)
{
    free(s->list);
    hash_table_free(&s->index);
    *s = (struct stack_sums){.list = NULL};
}

/* --- rows --- */

/* The state of adding up rows. */
struct adding {
    struct syscalls_origin_row *rows;
    uint64_t *most_ns; /* for each row the time of its stack */
    size_t n;
    struct hash_table index;
};

static bool have_frames_one_origin(const struct syscall_frame *a, const struct syscall_frame *b)
{
    if (!a || !b)
        return a == b;
    return a->function == b->function && a->module == b->module && a->file == b->file &&
           a->line == b->line && (a->function[0] || a->address == b->address);
}

/* Hashes pointers, because equal texts in a table of stacks have equal pointers. */
static uint64_t hash_origin(const struct syscalls_stack_sum *sum, const struct syscall_frame *f)
{
    const uint64_t call = (uint64_t)sum->abi << 32 | sum->number;
    return f ? hash_number(hash_number((uintptr_t)f->function, (uintptr_t)f->module),
                           call ^ ((uint64_t)f->line << 40))
             : hash_number(0, call);
}

static size_t find_or_add_origin(struct adding *a, const struct syscalls_stack_sum *sum)
{
    const struct syscall_frame *origin = syscall_stack_maker(sum->stack);
    const uint64_t hash = hash_origin(sum, origin);
    HASH_EACH (&a->index, hash, i) {
        const struct syscalls_origin_row *r = &a->rows[i];
        if (r->abi == sum->abi && r->number == sum->number &&
            have_frames_one_origin(r->origin, origin))
            return i;
    }
    hash_table_add(&a->index, hash, a->n);
    a->rows[a->n] = (struct syscalls_origin_row){
        .abi = sum->abi, .number = sum->number, .origin = origin, .stack = sum->stack};
    return a->n++;
}

static void add_sum_to_origin(struct adding *a, const struct syscalls_stack_sum *sum)
{
    const size_t i = find_or_add_origin(a, sum);
    struct syscalls_origin_row *r = &a->rows[i];
    r->calls += sum->calls;
    r->errors += sum->errors;
    r->total_ns += sum->total_ns;
    r->max_ns = sum->max_ns > r->max_ns ? sum->max_ns : r->max_ns;
    r->bytes += sum->bytes;
    r->stacks++;
    if (sum->total_ns > a->most_ns[i]) {
        a->most_ns[i] = sum->total_ns;
        r->stack = sum->stack;
        r->origin = syscall_stack_maker(sum->stack);
    }
}

static int compare_origin_rows(const void *a, const void *b)
{
    const struct syscalls_origin_row *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    const int name = strcmp(x->name, y->name);
    return name ? name : (x->index > y->index) - (x->index < y->index);
}

static void finish_rows(struct syscalls_snapshot *p)
{
    for (size_t i = 0; i < p->norigins; i++) {
        struct syscalls_origin_row *r = &p->origins[i];
        r->index = (uint32_t)i; /* sums are only added at the end, so the order stays */
        r->share = p->has_times && p->total_ns ? (double)r->total_ns / (double)p->total_ns : NAN;
        syscalls_call_name(r->abi, r->number, r->name, sizeof r->name);
    }
    if (p->norigins > 1)
        qsort(p->origins, p->norigins, sizeof *p->origins, compare_origin_rows);
}

void stack_sums_fill(const struct stack_sums *s, struct syscalls_snapshot *p)
{
    p->stack_sums = arena_alloc(&p->arena, (s->n + 1) * sizeof *p->stack_sums);
    p->nstack_sums = s->n;
    if (s->n)
        memcpy(p->stack_sums, s->list, s->n * sizeof *p->stack_sums);
    struct adding a = {.rows = xcalloc(s->n + 1, sizeof *a.rows),
                       .most_ns = xcalloc(s->n + 1, sizeof *a.most_ns)};
    for (size_t i = 0; i < s->n; i++)
        add_sum_to_origin(&a, &s->list[i]);
    p->norigins = a.n;
    p->origins = arena_alloc(&p->arena, (a.n + 1) * sizeof *p->origins);
    memcpy(p->origins, a.rows, a.n * sizeof *p->origins);
    finish_rows(p);
    free(a.rows);
    free(a.most_ns);
    hash_table_free(&a.index);
}
