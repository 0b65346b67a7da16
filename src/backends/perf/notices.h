/* Notices of a snapshot: what the user should know about the counting besides the numbers. */
#ifndef ROOFTOP_BACKENDS_PERF_NOTICES_H
#define ROOFTOP_BACKENDS_PERF_NOTICES_H

#include "backends/perf/emit.h"
#include "backends/perf_common/selftest.h"
#include "backends/perf_common/tasks.h"

struct notice_input {
    const struct emit_input *emit;
    const struct tasks_status *tasks; /* NULL: no tasks are watched */
    const struct selftest *selftest;
    const char *split; /* the events of the group that was split last; NULL: none */
};

void notices_add(const struct notice_input *in, struct snapshot *out);
/* Formats 12345 as "12,345". Returns out. */
const char *thousands(unsigned long n, char out[28]);

#endif
