/* The short answer of a trace: the calls that took the most time. Nothing is written: the caller
 * does, when it has added what to run next. */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/syscalls/roles.h"
#include "engine/value/value.h"
#include "export/brief.h"
#include "export/syscalls/syscalls_export.h"

/* Whether most of its time, at least, is waiting for something else. */
static bool mostly_waits(const struct syscall_sum *s)
{
    char name[64];
    return syscall_waits(syscalls_name(s->abi, s->number, name, sizeof name)) ||
           s->wait_ns > s->total_ns / 2;
}

/* The call with the most time that is work; NULL: all wait. */
static const struct syscall_sum *find_costly_call(const struct syscall_sum **sorted)
{
    while (*sorted && mostly_waits(*sorted))
        sorted++;
    return *sorted;
}

static void brief_call_row(struct brief *b, const struct syscall_sums *sums,
                           const struct syscall_sum *s)
{
    char name[64], total[VALUE_TEXT_MAX], mean[VALUE_TEXT_MAX];
    brief_row(b, syscalls_name(s->abi, s->number, name, sizeof name),
              "%s, %.1f %% of the time in calls, %" PRIu64 " calls of %s, %" PRIu64 " failed%s",
              value_time((double)s->total_ns, true, total), 100 * syscall_sums_share(sums, s),
              s->calls, value_time(1e9 * syscalls_mean(s), true, mean), s->errors,
              mostly_waits(s) ? "; it waits" : "");
}

static void fill_syscalls_brief(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    struct brief *b = x->options.brief;
    char total[VALUE_TEXT_MAX], name[64];
    const struct syscall_sum **sorted = syscalls_sorted(&x->sums);
    const struct syscall_sum *most = find_costly_call(sorted);
    if (x->sums.n == 0)
        brief_verdict(b, "%.120s made no system call that was asked for", x->options.command);
    else if (!most)
        brief_verdict(b, "the calls of %.120s only wait", x->options.command);
    else
        brief_verdict(b, "%s takes %.1f %% of the time in calls of %.120s, waiting apart",
                      syscalls_name(most->abi, most->number, name, sizeof name),
                      100 * syscall_sums_share(&x->sums, most), x->options.command);
    brief_evidence(b, "%" PRIu64 " calls in %s, all threads together; %" PRIu64 " failed",
                   x->sums.calls, value_time((double)x->sums.total_ns, true, total),
                   x->sums.errors);
    if (end->exit_code)
        brief_evidence(b, "the command ended with status %d", end->exit_code);
    if (end->result->lost)
        brief_evidence(b, "%" PRIu64 " calls were lost", end->result->lost);
    for (size_t i = 0; i < x->sums.n; i++)
        brief_call_row(b, &x->sums, sorted[i]);
    free(sorted);
}

const struct syscall_format syscall_format_brief = {.name = "brief", .counts = fill_syscalls_brief};
