/* What of this machine is also that of a recording: only then are its kernel's names and those of
 * run-time compilers right. */
#pragma once

#include "backends/perf_common/perf_record.h"
#include "backends/perf_data/perf_file.h"
#include "backends/unwind/names.h"

/* Compares the host and its kernel's build id, or its release. The kernel is the same only after
 * perf_origin_mapping has seen where it lay. */
void perf_origin_read(struct names_origin *o, const struct perf_file *f);
/* The record of the kernel's own mapping: whether one of its symbols lies where it lay then, which
 * changes when a machine is booted. */
void perf_origin_mapping(struct names_origin *o, const struct record_mapping *m,
                         const struct perf_file *f);
