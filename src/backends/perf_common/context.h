/*
 * What decides whether perf_event works here: sysctl level, rights, container, virtual machine,
 * limits.
 */
#ifndef ROOFTOP_BACKENDS_PERF_COMMON_CONTEXT_H
#define ROOFTOP_BACKENDS_PERF_COMMON_CONTEXT_H

#include <stdbool.h>
#include <sys/types.h>

#include "backends/perf_common/sys.h"

enum { PARANOID_UNKNOWN = -100 };

struct perf_context {
    int paranoid; /* kernel.perf_event_paranoid, PARANOID_UNKNOWN without the file */
    bool plain;   /* levels above 2 mean 2: Debian's and Ubuntu's kernels alone have more */
    uid_t uid;    /* effective */
    bool cap_perfmon, cap_sys_admin, cap_sys_ptrace;
    bool seccomp;                         /* a seccomp filter is on us */
    bool core_pmu;                        /* set by the caller: this machine has a core PMU */
    int nmi_watchdog;                     /* 1: it holds a counter on every CPU */
    char container[32];                   /* "docker", "podman", "" */
    char hypervisor[32];                  /* "" on bare metal */
    char lockdown[32];                    /* "none", "integrity", "confidentiality", "" unknown */
    unsigned long files_soft, files_hard; /* RLIMIT_NOFILE */
};

/* sys is asked what a level above 2 means to this kernel: whether we may count ourselves. */
void perf_context_read(struct perf_context *c, const struct perf_sys *sys);
/* The level in force. */
int perf_context_level(const struct perf_context *c);
/* True when the level does not matter: CAP_PERFMON or CAP_SYS_ADMIN (level 3 and up: only the
 * latter). */
bool perf_context_privileged(const struct perf_context *c);

#endif
