/*
 * The facts that decide whether perf_event works here: sysctl level, capabilities, container,
 * virtual machine, limits.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "backends/perf_common/sys.h"

enum { PARANOID_UNKNOWN = -100 };

struct perf_context {
    int paranoid; /* kernel.perf_event_paranoid; PARANOID_UNKNOWN if the file is missing */
    bool plain;   /* levels above 2 mean the same as 2; only Debian's and Ubuntu's kernels differ */
    uid_t uid;    /* effective */
    bool cap_perfmon, cap_sys_admin, cap_sys_ptrace;
    bool seccomp;                         /* a seccomp filter applies to us */
    bool core_pmu;                        /* set by the caller: this machine has a core PMU */
    int nmi_watchdog;                     /* 1: the watchdog uses a counter on every CPU */
    char container[32];                   /* "docker", "podman", "" */
    char hypervisor[32];                  /* "" on bare metal */
    char lockdown[32];                    /* "none", "integrity", "confidentiality", "" unknown */
    unsigned long files_soft, files_hard; /* RLIMIT_NOFILE */
};

/* Reads the context. sys: used to test whether we may count ourselves, which shows what a level
 * above 2 means. */
void perf_context_read(struct perf_context *c, const struct perf_sys *sys);
/* The effective level. */
int perf_context_level(const struct perf_context *c);
/*
 * Whether the level does not apply to us: with CAP_SYS_ADMIN, below level 3 also with CAP_PERFMON.
 */
bool perf_context_privileged(const struct perf_context *c);
