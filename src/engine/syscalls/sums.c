#include "engine/syscalls/sums.h"

#include <stdlib.h>

#include "base/list.h"
#include "engine/syscalls/calls_impl.h"
#include "engine/syscalls/roles.h"

static struct syscall_sum *sum_find(const struct syscall_sums *s, unsigned abi, uint32_t number)
{
    uint32_t i = ids_get(&s->index, (uint64_t)abi << 32 | number);
    return i == IDS_NONE ? NULL : &s->list[i];
}

static struct syscall_sum *add_call_sum(struct syscall_sums *s, unsigned abi, uint32_t number)
{
    LIST_ROOM(s->list, s->n, s->cap);
    ids_add(&s->index, (uint64_t)abi << 32 | number, (uint32_t)s->n);
    s->list[s->n] =
        (struct syscall_sum){.abi = (uint8_t)abi, .number = number, .min_ns = UINT64_MAX};
    return &s->list[s->n++];
}

static struct syscall_sum *sum_of(struct syscall_sums *s, const struct syscall_event *e)
{
    struct syscall_sum *sum = sum_find(s, e->abi, e->number);
    if (sum)
        return sum;
    if (syscall_find(e->abi, e->number))
        return add_call_sum(s, e->abi, e->number);
    if (s->unknown < SYSCALL_SUMS_UNKNOWN) {
        s->unknown++;
        return add_call_sum(s, e->abi, e->number);
    }
    sum = sum_find(s, SYSCALL_ABIS, 0);
    return sum ? sum : add_call_sum(s, SYSCALL_ABIS, 0);
}

static bool moves_bytes(const struct syscall_event *e)
{
    enum syscall_role role = syscall_duty(e->abi, e->number)->role;
    return role == ROLE_READ || role == ROLE_WRITE || role == ROLE_COPY;
}

static void add_time_to_sum(struct syscall_sum *sum, uint64_t ns)
{
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
    s->total_ns += syscall_thread_ns(e);
    if (!(e->flags & SYSCALL_NO_TIMES) && e->end_ns >= e->begin_ns)
        add_time_to_sum(sum, syscall_ns(e));
}

void syscall_sums_add_wait(struct syscall_sums *s, const struct syscall_event *e)
{
    struct syscall_sum *sum = sum_of(s, e);
    sum->waits++;
    sum->wait_errors += syscall_failed(e);
    sum->wait_ns += syscall_ns(e);
}

double syscall_sums_share(const struct syscall_sums *s, const struct syscall_sum *sum)
{
    const bool beside = sum->abi == SYSCALL_URING;
    return s->total_ns && !beside ? (double)sum->total_ns / (double)s->total_ns : 0;
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
