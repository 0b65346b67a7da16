#include "engine/syscalls/sums.h"

#include <stdlib.h>

#include "base/list.h"
#include "engine/syscalls/roles.h"

static struct syscall_sum *sum_of(struct syscall_sums *s, const struct syscall_event *e)
{
    uint64_t key = (uint64_t)e->abi << 32 | e->number;
    uint32_t i = ids_get(&s->index, key);
    if (i != IDS_NONE)
        return &s->list[i];
    LIST_ROOM(s->list, s->n, s->cap);
    ids_add(&s->index, key, (uint32_t)s->n);
    s->list[s->n] = (struct syscall_sum){.abi = e->abi, .number = e->number, .min_ns = UINT64_MAX};
    return &s->list[s->n++];
}

static bool moves_bytes(const struct syscall_event *e)
{
    enum syscall_role role = syscall_duty(e->abi, e->number)->role;
    return role == ROLE_READ || role == ROLE_WRITE || role == ROLE_COPY;
}

static void add_time(struct syscall_sums *s, struct syscall_sum *sum, uint64_t ns)
{
    s->total_ns += ns;
    sum->total_ns += ns;
    sum->squares += (double)ns * (double)ns;
    if (ns < sum->min_ns)
        sum->min_ns = ns;
    if (ns > sum->max_ns)
        sum->max_ns = ns;
    histogram_count(&sum->times, ns);
}

void syscall_sums_add(struct syscall_sums *s, const struct syscall_event *e)
{
    if (e->kind != SYSCALL_CALL)
        return;
    struct syscall_sum *sum = sum_of(s, e);
    s->calls++;
    sum->calls++;
    if (syscall_failed(e)) {
        s->errors++;
        sum->errors++;
    }
    if (e->flags & SYSCALL_UNFINISHED)
        sum->unfinished++;
    else if (!(e->flags & SYSCALL_NO_RESULT) && e->result > 0 && moves_bytes(e))
        sum->bytes += (uint64_t)e->result;
    if (!(e->flags & SYSCALL_NO_TIMES) && e->end_ns >= e->begin_ns)
        add_time(s, sum, e->end_ns - e->begin_ns);
}

double syscall_sum_quantile(const struct syscall_sum *s, double q)
{
    return histogram_quantile_within(&s->times, q, (double)s->min_ns, (double)s->max_ns);
}

void syscall_sums_free(struct syscall_sums *s)
{
    for (size_t i = 0; i < s->n; i++)
        histogram_free(&s->list[i].times);
    free(s->list);
    ids_free(&s->index);
    *s = (struct syscall_sums){0};
}
