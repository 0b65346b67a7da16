#include "backends/proc/proc_impl.h"

#include <errno.h>
#include <stdio.h>

#include "backends/common/advice.h"
#include "backends/common/cgroup.h"
#include "backends/common/proc_file.h"
#include "backends/processes/hidden.h"

struct proc_probe {
    probe_sink sink;
    void *ctx;
};

static void tell_proc_finding(const struct proc_probe *p, const char *id, const char *label,
                              enum probe_state state, const char *why, const char *enable)
{
    p->sink(p->ctx, &(struct probe_finding){
                        .id = id, .label = label, .state = state, .why = why, .enable = enable});
}

static void probe_processes(const struct proc_probe *p)
{
    char hidepid[32], why[96];
    hidden_by(hidepid);
    if (!file_proc_mounted()) {
        tell_proc_finding(p, "proc.processes", "process list", PROBE_NO, "/proc is not mounted",
                          ADVICE_PROC);
    } else if (*hidepid) {
        snprintf(why, sizeof why, "/proc is mounted with %s: other users' processes are hidden",
                 hidepid);
        tell_proc_finding(p, "proc.processes", "process list", PROBE_PARTIAL, why, ADVICE_HIDEPID);
    } else {
        tell_proc_finding(p, "proc.processes", "process list", PROBE_YES,
                          "/proc shows all processes", NULL);
    }
}

static void probe_psi(const struct proc_probe *p)
{
    char line[128];
    int n = file_line("/proc/pressure/cpu", line, sizeof line);
    if (n > 0)
        tell_proc_finding(p, "proc.psi", "pressure (PSI)", PROBE_YES, "/proc/pressure", NULL);
    else if (n == -ENOENT && !file_proc_mounted())
        tell_proc_finding(p, "proc.psi", "pressure (PSI)", PROBE_NO,
                          "not known: /proc is not mounted", ADVICE_PROC);
    else if (n == -ENOENT)
        tell_proc_finding(p, "proc.psi", "pressure (PSI)", PROBE_NO,
                          "no /proc/pressure in this kernel",
                          "use a kernel with CONFIG_PSI=y (4.20 or later)");
    else
        tell_proc_finding(p, "proc.psi", "pressure (PSI)", PROBE_NO,
                          n == -EOPNOTSUPP ? "PSI is switched off"
                                           : "/proc/pressure may not be read",
                          n == -EOPNOTSUPP ? "add psi=1 to the kernel's command line" : NULL);
}

static void probe_cpufreq(const struct proc_probe *p)
{
    if (file_exists("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"))
        tell_proc_finding(p, "proc.cpufreq", "CPU frequency", PROBE_YES, "cpufreq", NULL);
    else
        tell_proc_finding(p, "proc.cpufreq", "CPU frequency", PROBE_NO,
                          "no cpufreq here (a virtual machine, or no driver)", NULL);
}

static void probe_topology(const struct proc_probe *p)
{
    bool cpus = file_exists("/sys/devices/system/cpu/cpu0/topology/core_id");
    bool caches = file_exists("/sys/devices/system/cpu/cpu0/cache/index0/level");
    enum probe_state state = PROBE_NO;
    const char *why = "/sys does not describe the CPUs";
    if (cpus) {
        state = caches ? PROBE_YES : PROBE_PARTIAL;
        why =
            caches ? "sockets, cores and caches from /sys" : "sockets and cores; no caches in /sys";
    }
    tell_proc_finding(p, "proc.topology", "CPU topology", state, why, NULL);
}

static void probe_cgroup_layout(const struct proc_probe *p)
{
    const char *root;
    enum cgroup_layout layout = cgroup_layout(&root);
    enum probe_state state = PROBE_NO;
    if (layout == CGROUP_V2)
        state = PROBE_YES;
    else if (layout == CGROUP_HYBRID)
        state = PROBE_PARTIAL;
    tell_proc_finding(p, "proc.cgroup", "cgroup v2", state, cgroup_means(layout),
                      cgroup_advice(layout));
}

void proc_probe(probe_sink sink, void *ctx)
{
    struct proc_probe p = {sink, ctx};
    probe_processes(&p);
    probe_psi(&p);
    probe_cpufreq(&p);
    probe_topology(&p);
    probe_cgroup_layout(&p);
}
