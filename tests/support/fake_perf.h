/*
 * A kernel's perf_event made of recorded counts: scripted values per event and place, refusals by
 * condition. A step is one sampling interval; every descriptor reads its script at the current
 * step.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/perf_common/sys.h"
#include "backends/perf_event/encoding.h"

enum { FAKE_ANY = -2, FAKE_FDS = 65536, FAKE_STEPS = 8, FAKE_SCRIPTS = 32, FAKE_RULES = 32 };

struct fake_count {
    uint64_t value, enabled, running;
    bool eof; /* reads end, as when the PMU was removed */
};

/* Cumulative counts of an event at each step; beyond the end, the last step repeats. */
struct fake_script {
    long type, config; /* FAKE_ANY matches all */
    int cpu;
    pid_t pid;
    struct fake_count steps[FAKE_STEPS];
    int n;
};

struct fake_rule {
    long type, config;
    int cpu;
    pid_t pid;
    bool unless_exclude_kernel; /* refused only if the kernel is to be counted */
    bool only_inherit;          /* refused only with attr.inherit */
    int err;                    /* positive errno */
};

struct fake_fd {
    bool open;
    struct perf_event_attr attr;
    pid_t pid;
    int cpu, leader;
    unsigned long flags;
    bool joined_late;      /* on a CPU, joined after its leader was enabled: never counts */
    void *ring;            /* its mapped ring, or NULL */
    size_t ring_size;      /* bytes of the mapping */
    uint64_t uprobe_inode; /* inode of the file in which the kernel would set a breakpoint */
    int output; /* descriptor whose ring it writes to (PERF_EVENT_IOC_SET_OUTPUT); -1: its own */
};

struct fake_perf {
    struct perf_sys sys; /* pass &fake->sys */
    pthread_mutex_t lock;
    struct fake_script scripts[FAKE_SCRIPTS];
    int nscripts;
    struct fake_rule rules[FAKE_RULES];
    int nrules;
    /* Rights of an ordinary user, which kernel/events/core.c derives from
     * kernel.perf_event_paranoid. patched: as the kernels of Debian and Ubuntu do above 2. */
    bool ordinary, patched;
    int paranoid;
    uint32_t uprobe_type; /* events of this type have a path; 0: no type has */
    int step;
    int opens, opens_max; /* EMFILE for the descriptor that would exceed opens_max; 0 = no limit */
    unsigned attr_size;   /* the kernel's size of the struct; a larger one with fields set gives
                             E2BIG; 0 = ours */
    int counters;         /* EINVAL for more hardware events in a group; 0 = no limit */
    int ioctls;           /* number of ioctl calls */
    size_t map_max; /* limit for all rings together, beyond it EPERM, as with perf_event_mlock_kb; 0
                       = no limit */
    bool no_dumps;  /* EINVAL for registers and stacks of user space */
    size_t mapped;
    int now_open;
    struct fake_fd fds[FAKE_FDS];
    int used;
};

struct fake_perf *fake_perf_new(void);
void fake_perf_free(struct fake_perf *f); /* asserts that all descriptors were closed */
void fake_perf_script(struct fake_perf *f, struct fake_script s);
void fake_perf_rule(struct fake_perf *f, struct fake_rule r);
void fake_perf_step(struct fake_perf *f); /* goes to the next interval */
int fake_perf_open_count(struct fake_perf *f);

/* The ring of a CPU: a control page and *size bytes; NULL if none is mapped. */
void *fake_perf_ring(struct fake_perf *f, int cpu, size_t *size);

/* An encoding of a hardware event of the core PMU with this config. */
struct perf_encoding fake_core(uint64_t config);
struct perf_encoding fake_software(uint64_t config);
