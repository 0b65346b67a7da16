/* The short answer of a trace: the calls that took the most time. Nothing is written: the caller
 * does, when it has added what to run next. */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/value/value.h"
#include "export/brief.h"
#include "export/syscalls/syscalls_export.h"

static void brief_call_row(struct brief *b, const struct syscall_sums *sums,
                           const struct syscall_sum *s)
{
    char name[64], total[VALUE_TEXT_MAX], mean[VALUE_TEXT_MAX];
    brief_row(b, syscalls_name(s->abi, s->number, name, sizeof name),
              "%s, %.1f %% of the time in calls, %" PRIu64 " calls of %s, %" PRIu64 " failed",
              value_time((double)s->total_ns, true, total), 100 * syscall_sums_share(sums, s),
              s->calls, value_time(1e9 * syscalls_mean(s), true, mean), s->errors);
}

static void fill_syscalls_brief(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    struct brief *b = x->options.brief;
    char total[VALUE_TEXT_MAX], name[64];
    const struct syscall_sum **sorted = syscalls_sorted(&x->sums);
    if (x->sums.n == 0)
        brief_verdict(b, "%.120s made no system call that was asked for", x->options.command);
    else
        brief_verdict(b, "%s takes %.1f %% of the time in calls of %.120s",
                      syscalls_name(sorted[0]->abi, sorted[0]->number, name, sizeof name),
                      100 * syscall_sums_share(&x->sums, sorted[0]), x->options.command);
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
