/* The records of a snapshot: what frames of a session keep and documents show of its structures. */
#pragma once

#include "engine/value/field.h"

/* Records of the structures of snapshot.h with these names; cost: struct source_cost. */
extern const struct fields host_record, snapshot_record, cpu_record, io_record, counter_record,
    metric_record, notice_record, cost_record;
/* Records of processes and threads; documents use procs_fields and threads_fields. */
extern const struct fields proc_record, thread_record;
