/* The fields of a process: columns of the process list, its orders, filters, and JSON. Those of a
 * thread, for documents. */
#pragma once

#include "engine/live/snapshot.h"
#include "engine/value/list_field.h"

extern const struct list_field procs_fields[]; /* rows: struct proc */
enum procs_field {
#define LIST_FILE   "engine/live/procs_fields.def"
#define LIST_ID(id) PROCS_FIELD_##id
#include "engine/value/list_field_ids.h"
};

extern const struct list_field threads_fields[]; /* rows: struct proc_thread */
