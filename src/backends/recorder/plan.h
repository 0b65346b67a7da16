/* Which mappings of a process are patched, and where their trampolines go. */
#ifndef ROOFTOP_BACKENDS_RECORDER_PLAN_H
#define ROOFTOP_BACKENDS_RECORDER_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "backends/recorder/share.h"

/* The sites of files that were looked at, in the shared segment. Zeroed at first. */
struct plans {
    struct plan_file *files;
    size_t n, cap;
    uint64_t lone; /* in files that were mapped */
};

/* All files that the process has mapped executable. */
void plan_make(struct plans *p, struct share *s, pid_t pid, struct syscall_plan *out);
/* The one mapped at this address. False: nothing is to be patched there. */
bool plan_part(struct plans *p, struct share *s, pid_t pid, uint64_t address,
               struct syscall_part *out);
/* Where the recorder itself is in the process; false: nowhere. */
bool plan_recorder(const struct share *s, pid_t pid, uint64_t *from, uint64_t *to);
void plans_free(struct plans *p);

#endif
