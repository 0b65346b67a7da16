#include "backends/counters/perf_impl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/common/advice.h"
#include "backends/perf_common/explain.h"

const char *thousands(unsigned long n, char out[28])
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%lu", n), o = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[o++] = ',';
        out[o++] = digits[i];
    }
    out[o] = '\0';
    return out;
}

/* The id of a notice; NULL if the user cannot change the refusal. */
static const char *refusal_notice_id(int err)
{
    switch (err) {
    case EACCES:
    case EPERM:
        return "perf.permission";
    case EMFILE:
    case ENFILE:
        return "perf.files";
    case EXPLAIN_STOLEN:
        return "perf.stolen";
    case EBUSY:
        return "perf.busy";
    case ENOSYS:
        return "perf.kernel-config";
    default:
        return NULL;
    }
}

/* Reports the first refusal of each kind that the user can change. */
static void add_refusal_notices(const struct emit_input *in, struct snapshot *out)
{
    const struct tally *y = in->tally;
    for (size_t g = 0; g < y->plan->ngroups; g++) {
        const struct plan_group *pg = &y->plan->groups[g];
        for (size_t m = 0; m < pg->n; m++) {
            int err = y->err[pg->first + m];
            struct explanation why;
            const char *id = refusal_notice_id(err);
            if (!id)
                continue;
            explain(in->context,
                    &(struct explain_query){.err = err,
                                            .kind = in->kind,
                                            .event = explain_event_of(&pg->members[m]),
                                            .pmu = pg->members[m].pmu,
                                            .owner = in->owner,
                                            .files = in->files},
                    &why);
            /* Tracepoints and uncore events need more rights than the rest; their refusal alone is
             * not worth a warning. */
            bool minor = explain_event_of(&pg->members[m]) == EXPLAIN_TRACEPOINT ||
                         pg->domain == PLAN_UNCORE;
            if (minor && err != EMFILE)
                continue;
            snapshot_add_notice(out, NOTICE_WARN, id,
                                snapshot_printf(out, "not everything can be counted: %s", why.why),
                                why.help[0] ? why.help : NULL);
        }
    }
}

static void kernel_excluded(const struct emit_input *in, struct snapshot *out)
{
    char advice[ADVICE_BYTES];
    for (size_t m = 0; m < in->tally->plan->nmembers; m++) {
        if (!in->tally->excluded[m])
            continue;
        snapshot_add_notice(
            out, NOTICE_INFO, "perf.kernel",
            snapshot_printf(out,
                            "counting user mode only: kernel.perf_event_paranoid %d keeps the "
                            "kernel's share from us",
                            in->context->paranoid),
            advice_paranoid(in->context->paranoid, 1, advice));
        return;
    }
}

static void add_attach_notices(const struct notice_input *in, struct snapshot *out)
{
    const struct tasks_status *t = in->tasks;
    char a[28], b[28];
    if (t->fatal) {
        struct explanation why;
        explain(in->emit->context,
                &(struct explain_query){.err = t->fatal,
                                        .kind = in->emit->kind,
                                        .event = EXPLAIN_SOFTWARE,
                                        .owner = in->emit->owner,
                                        .files = in->emit->files},
                &why);
        snapshot_add_notice(out, NOTICE_WARN, "perf.attach",
                            snapshot_printf(out, "%s of %s threads attached: %s",
                                            thousands(t->attached, a), thousands(t->found, b),
                                            why.why),
                            why.help[0] ? why.help : NULL);
    } else if (t->busy && t->inherit && t->attached + t->gone < t->found) {
        snapshot_add_notice(out, NOTICE_INFO, "perf.attach",
                            snapshot_printf(out, "%s of %s threads attached",
                                            thousands(t->attached, a), thousands(t->found, b)),
                            NULL);
    }
    if (t->uncertain && in->emit->kind == TARGET_PIDS)
        snapshot_add_notice(
            out, NOTICE_INFO, "perf.uncertain",
            snapshot_printf(out,
                            "%s threads started while attaching: counted where the thread that "
                            "started them was attached already",
                            thousands(t->uncertain, a)),
            NULL);
    if (in->emit->stopped)
        snapshot_add_notice(out, NOTICE_WARN, "perf.stopped", EMIT_STOPPED,
                            "watch the process that runs now as root: `sudo rooftop -p PID`");
    if (!t->inherit)
        snapshot_add_notice(
            out, NOTICE_INFO, "perf.inherit",
            "this kernel cannot inherit grouped events: threads are listed again on "
            "every sample, and started processes are not counted",
            "use Linux 4.13 or newer");
}

void notices_add(const struct notice_input *in, struct snapshot *out)
{
    char text[256];
    const struct perf_context *c = in->emit->context;
    add_refusal_notices(in->emit, out);
    kernel_excluded(in->emit, out);
    if (in->tasks)
        add_attach_notices(in, out);
    if (c->core_pmu && c->nmi_watchdog == 1)
        snapshot_add_notice(out, NOTICE_INFO, "perf.watchdog",
                            "the NMI watchdog holds one hardware counter of every CPU",
                            ADVICE_WATCHDOG);
    if (in->split)
        snapshot_add_notice(out, NOTICE_INFO, "perf.split",
                            snapshot_printf(out,
                                            "the PMU could not hold these events together, so they "
                                            "are counted in turn: %s",
                                            in->split),
                            NULL);
    if (in->emit->tally->offline)
        snapshot_add_notice(
            out, NOTICE_INFO, "perf.offline",
            snapshot_printf(out, "%u CPUs are offline and not counted", in->emit->tally->offline),
            NULL);
    if (selftest_text(in->selftest, text, sizeof text)[0])
        snapshot_add_notice(out, NOTICE_WARN, "perf.selftest", text,
                            c->hypervisor[0]
                                ? "give the guest a working PMU (QEMU/KVM `-cpu host,pmu=on`), or "
                                  "take a bare-metal instance"
                                : "end other users of the PMU, then start rooftop again");
}
