#include "backends/perf_common/context.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backends/perf_common/cpus.h"
#include "base/env.h"

/* Source: include/uapi/linux/capability.h */
enum { CAP_PTRACE_BIT = 19, CAP_ADMIN_BIT = 21, CAP_PERFMON_BIT = 38 };

static void read_own_status(struct perf_context *c)
{
    char path[256], line[256];
    FILE *f = fopen(env_path(path, sizeof path, "/proc/self/status"), "re");
    if (!f)
        return;
    while (fgets(line, sizeof line, f)) {
        if (!strncmp(line, "CapEff:", 7)) {
            uint64_t caps = strtoull(line + 7, NULL, 16);
            c->cap_sys_ptrace = caps >> CAP_PTRACE_BIT & 1;
            c->cap_sys_admin = caps >> CAP_ADMIN_BIT & 1;
            c->cap_perfmon = caps >> CAP_PERFMON_BIT & 1;
        } else if (!strncmp(line, "Seccomp:", 8)) {
            c->seccomp = strtol(line + 8, NULL, 10) > 0;
        }
    }
    fclose(f);
}

static bool context_path_exists(const char *abs_path)
{
    char path[256];
    return access(env_path(path, sizeof path, "%s", abs_path), F_OK) == 0;
}

static void read_context_container(struct perf_context *c)
{
    const char *name = "";
    if (context_path_exists("/.dockerenv"))
        name = "docker";
    else if (context_path_exists("/run/.containerenv"))
        name = "podman";
    else if (env_get("container"))
        name = env_get("container");
    snprintf(c->container, sizeof c->container, "%s", name);
}

/* Linux shows CPUID's hypervisor bit as a flag; on arm64 the device tree says it. */
static void read_context_hypervisor(struct perf_context *c)
{
    char path[256], line[8192];
    FILE *f = fopen(env_path(path, sizeof path, "/proc/cpuinfo"), "re");
    while (f && fgets(line, sizeof line, f)) {
        if (!strncmp(line, "flags", 5) && strstr(line, " hypervisor")) {
            snprintf(c->hypervisor, sizeof c->hypervisor, "hypervisor");
            break;
        }
    }
    if (f)
        fclose(f);
    char type[24];
    if (read_line(type, sizeof type, "/sys/hypervisor/type") > 0)
        snprintf(c->hypervisor, sizeof c->hypervisor, "%s", type);
}

static void read_lockdown(struct perf_context *c)
{
    char line[128];
    if (read_line(line, sizeof line, "/sys/kernel/security/lockdown") <= 0)
        return;
    char *from = strchr(line, '['), *to = from ? strchr(from, ']') : NULL;
    if (to)
        snprintf(c->lockdown, sizeof c->lockdown, "%.*s", (int)(to - from - 1), from + 1);
}

static void ask_level(struct perf_context *c, const struct perf_sys *sys)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_SW_DUMMY,
                                .exclude_kernel = 1,
                                .exclude_hv = 1};
    if (c->paranoid <= 2 || c->cap_sys_admin)
        return;
    int fd = sys->open(sys->ctx, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    c->plain = fd >= 0;
    if (fd >= 0)
        sys->close(sys->ctx, fd);
}

void perf_context_read(struct perf_context *c, const struct perf_sys *sys)
{
    *c = (struct perf_context){.uid = geteuid()};
    c->paranoid = (int)read_number("/proc/sys/kernel/perf_event_paranoid", (long)PARANOID_UNKNOWN);
    c->nmi_watchdog = (int)read_number("/proc/sys/kernel/nmi_watchdog", 0);
    read_own_status(c);
    read_context_container(c);
    read_context_hypervisor(c);
    read_lockdown(c);
    ask_level(c, sys);
    struct rlimit lim;
    if (!getrlimit(RLIMIT_NOFILE, &lim)) {
        c->files_soft = (unsigned long)lim.rlim_cur;
        c->files_hard = (unsigned long)lim.rlim_max;
    }
}

int perf_context_level(const struct perf_context *c)
{
    return c->plain && c->paranoid > 2 ? 2 : c->paranoid;
}

bool perf_context_privileged(const struct perf_context *c)
{
    /* The extra levels of Debian and Ubuntu require CAP_SYS_ADMIN. */
    return c->cap_sys_admin || (c->cap_perfmon && perf_context_level(c) < 3);
}
