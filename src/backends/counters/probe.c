#include "backends/counters/perf_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/advice.h"
#include "backends/common/cgroup.h"
#include "backends/common/proc_file.h"
#include "backends/perf_common/cpus.h"
#include "backends/perf_common/explain.h"
#include "backends/perf_common/open.h"
#include "backends/perf_common/selftest.h"
#include "backends/perf_event/catalog.h"
#include "base/cpu_list.h"
#include "base/env.h"

struct perf_probe {
    probe_sink sink;
    void *ctx;
    const struct perf_sys *sys;
    struct perf_context context;
};

static void tell_perf_finding(const struct perf_probe *p, const char *id, const char *label,
                              enum probe_state state, const char *why, const char *enable)
{
    p->sink(p->ctx, &(struct probe_finding){.id = id,
                                            .label = label,
                                            .state = state,
                                            .why = why,
                                            .enable = enable && *enable ? enable : NULL});
}

static void tell_error(const struct perf_probe *p, const char *id, const char *label, int err,
                       enum target_kind kind, enum explain_event event, const char *pmu)
{
    struct explanation x;
    explain(&p->context,
            &(struct explain_query){
                .err = err, .kind = kind, .event = event, .pmu = pmu, .owner = p->context.uid},
            &x);
    tell_perf_finding(p, id, label, PROBE_NO, x.why, x.help);
}

/* Opens and closes one event. Returns 0 or a positive errno. */
static int try_perf_event(const struct perf_probe *p, const struct perf_encoding *e, pid_t pid,
                          int cpu, bool *excluded)
{
    int fd = event_open_probe(p->sys, e, pid, cpu, excluded);
    if (fd < 0)
        return -fd;
    p->sys->close(p->sys->ctx, fd);
    return 0;
}

static const struct perf_encoding cycles = {
    .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .scale = 1};
static const struct perf_encoding task_clock = {
    .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .scale = 1};

static void probe_paranoid(const struct perf_probe *p)
{
    char why[128], advice[ADVICE_BYTES];
    int level = p->context.paranoid;
    bool privileged = perf_context_privileged(&p->context);
    if (level == PARANOID_UNKNOWN) {
        const bool mounted = file_proc_mounted();
        tell_perf_finding(p, "perf.paranoid", "perf_event allowed", PROBE_NO,
                          mounted ? "no /proc/sys/kernel/perf_event_paranoid: this kernel has no "
                                    "perf_event"
                                  : "not known: /proc is not mounted",
                          mounted ? "use a kernel with CONFIG_PERF_EVENTS=y" : ADVICE_PROC);
        return;
    }
    snprintf(why, sizeof why, "kernel.perf_event_paranoid is %d%s", level,
             privileged ? ", which does not bind us (privileged)" : "");
    enum probe_state state = PROBE_PARTIAL;
    if (privileged || level <= 0)
        state = PROBE_YES;
    else if (perf_context_level(&p->context) >= 3)
        state = PROBE_NO;
    const char *enable = NULL;
    if (state != PROBE_YES)
        enable = advice_paranoid(level, level >= 3 ? 2 : level - 1, advice);
    tell_perf_finding(p, "perf.paranoid", "perf_event allowed", state, why, enable);
}

static void probe_own(const struct perf_probe *p)
{
    bool excluded;
    int err = try_perf_event(p, &cycles, 0, -1, &excluded);
    if (err)
        tell_error(p, "perf.hardware", "hardware counters", err, TARGET_COMMAND, EXPLAIN_HARDWARE,
                   "");
    else
        tell_perf_finding(p, "perf.hardware", "hardware counters", PROBE_YES,
                          "cycles can be counted", NULL);
    err = try_perf_event(p, &task_clock, 0, -1, &excluded);
    if (err)
        tell_error(p, "perf.software", "software counters", err, TARGET_COMMAND, EXPLAIN_SOFTWARE,
                   "");
    else
        tell_perf_finding(p, "perf.software", "software counters", PROBE_YES,
                          "task-clock can be counted", NULL);
    if (err)
        tell_error(p, "perf.kernel", "kernel activity", err, TARGET_COMMAND, EXPLAIN_SOFTWARE, "");
    else if (excluded)
        tell_error(p, "perf.kernel", "kernel activity", EACCES, TARGET_COMMAND, EXPLAIN_SOFTWARE,
                   "");
    else
        tell_perf_finding(p, "perf.kernel", "kernel activity", PROBE_YES,
                          "user and kernel mode can be counted", NULL);
}

static int first_cpu(void)
{
    bool cpus[TARGET_MAX_CPUS];
    cpus_online(cpus);
    for (int c = 0; c < TARGET_MAX_CPUS; c++)
        if (cpus[c])
            return c;
    return 0;
}

static void probe_system_wide(const struct perf_probe *p)
{
    struct perf_encoding cpu_clock = task_clock;
    cpu_clock.config = PERF_COUNT_SW_CPU_CLOCK;
    int err = try_perf_event(p, &cpu_clock, -1, first_cpu(), NULL);
    if (err)
        tell_error(p, "perf.system-wide", "whole CPUs", err, TARGET_HOST, EXPLAIN_SOFTWARE, "");
    else
        tell_perf_finding(p, "perf.system-wide", "whole CPUs", PROBE_YES, "CPUs can be counted",
                          NULL);
}

static void probe_tracepoints(const struct perf_probe *p)
{
    struct perf_encoding e;
    struct error err = ERROR_INIT;
    if (event_resolve("sched:sched_switch", &e, &err) < 0) {
        tell_perf_finding(p, "perf.tracepoints", "tracepoints", PROBE_NO, err.why, err.help);
        return;
    }
    int rc = try_perf_event(p, &e, -1, first_cpu(), NULL);
    if (rc)
        tell_error(p, "perf.tracepoints", "tracepoints", rc, TARGET_HOST, EXPLAIN_TRACEPOINT, "");
    else
        tell_perf_finding(p, "perf.tracepoints", "tracepoints", PROBE_YES,
                          "sched:sched_switch can be counted", NULL);
}

static void probe_cgroup_counting(const struct perf_probe *p)
{
    char path[256], why[160];
    const char *root;
    enum cgroup_layout layout = cgroup_layout(&root);
    int dir =
        root ? open(env_path(path, sizeof path, "%s", root), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
             : -1;
    if (dir < 0) {
        tell_perf_finding(p, "perf.cgroup", "counting cgroups", PROBE_NO, cgroup_means(layout),
                          cgroup_advice(layout));
        return;
    }
    struct perf_event_attr a = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof a, .config = PERF_COUNT_SW_CPU_CLOCK};
    int fd = p->sys->open(p->sys->ctx, &a, dir, first_cpu(), -1,
                          PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);
    close(dir);
    if (fd == -EBADF) {
        snprintf(why, sizeof why, "perf_event does not follow the cgroups of %s", root);
        tell_perf_finding(p, "perf.cgroup", "counting cgroups", PROBE_NO, why,
                          cgroup_advice(layout));
        return;
    }
    if (fd < 0) {
        tell_error(p, "perf.cgroup", "counting cgroups", -fd, TARGET_CGROUP, EXPLAIN_SOFTWARE, "");
        return;
    }
    p->sys->close(p->sys->ctx, fd);
    snprintf(why, sizeof why, "those of %s can be counted", root);
    tell_perf_finding(p, "perf.cgroup", "counting cgroups", PROBE_YES, why, NULL);
}

static void probe_selftest(const struct perf_probe *p)
{
    struct selftest t;
    char why[256];
    selftest_run(p->sys, &t);
    if (t.state == SELFTEST_REFUSED) {
        tell_error(p, "perf.selftest", "counters count", t.err, TARGET_COMMAND, EXPLAIN_HARDWARE,
                   "");
    } else if (t.state == SELFTEST_WORKS) {
        snprintf(why, sizeof why, "%llu cycles and %llu instructions in 1 ms of work",
                 (unsigned long long)t.cycles, (unsigned long long)t.instructions);
        tell_perf_finding(p, "perf.selftest", "counters count", PROBE_YES, why, NULL);
    } else {
        tell_perf_finding(
            p, "perf.selftest", "counters count", PROBE_NO, selftest_text(&t, why, sizeof why),
            p->context.hypervisor[0] ? "QEMU/KVM: start the guest with -cpu host,pmu=on"
                                     : ADVICE_WATCHDOG);
    }
}

static void probe_watchdog(const struct perf_probe *p)
{
    bool on = p->context.nmi_watchdog == 1;
    tell_perf_finding(p, "perf.watchdog", "all counters free", on ? PROBE_PARTIAL : PROBE_YES,
                      on ? "the NMI watchdog holds one counter of every CPU"
                         : "the NMI watchdog holds no counter",
                      on ? ADVICE_WATCHDOG : NULL);
}

/* Reports one set of the catalog, using the first of its events that this machine has. */
static void probe_set(const struct perf_probe *p, const char *id, const char *label,
                      const char *set)
{
    struct error err = ERROR_INIT;
    struct perf_encoding e;
    bool known = false;
    for (const struct event_def *d = catalog_common; d->name; d++) {
        struct error this = ERROR_INIT;
        char why[160];
        if (strcmp(d->set, set))
            continue;
        if (event_resolve(d->spec, &e, &this) < 0) {
            if (!known)
                err = this;
            known = true;
            continue;
        }
        bool cpus[TARGET_MAX_CPUS];
        int cpu = first_cpu();
        if (cpu_list_parse(e.cpumask, cpus) > 0)
            for (cpu = 0; !cpus[cpu];)
                cpu++;
        int rc = try_perf_event(p, &e, -1, cpu, NULL);
        if (rc) {
            tell_error(p, id, label, rc, TARGET_HOST, EXPLAIN_UNCORE, e.pmu);
            return;
        }
        bool still = strcmp(e.pmu, "power") == 0 && selftest_moves(p->sys, &e, cpu) == 0;
        snprintf(why, sizeof why,
                 still ? "%s is there, but stood still during 20 ms of work" : "%s can be counted",
                 d->spec);
        tell_perf_finding(p, id, label, still ? PROBE_NO : PROBE_YES, why, NULL);
        return;
    }
    tell_perf_finding(p, id, label, PROBE_NO,
                      known ? err.why : "no event of this kind is known here", err.help);
}

void perf_probe(probe_sink sink, void *ctx)
{
    struct perf_probe p = {.sink = sink, .ctx = ctx, .sys = perf_sys_current()};
    perf_context_read(&p.context, p.sys);
    p.context.core_pmu = strcmp(arch_detect()->key, "none") != 0;
    probe_paranoid(&p);
    probe_own(&p);
    probe_system_wide(&p);
    probe_tracepoints(&p);
    probe_cgroup_counting(&p);
    probe_selftest(&p);
    probe_watchdog(&p);
    probe_set(&p, "perf.rapl", "energy (RAPL)", "rapl");
    probe_set(&p, "perf.uncore", "memory traffic (uncore)", "dram");
    probe_set(&p, "perf.msr", "model-specific counters (msr)", "msr");
}
