/* The fields of the table by call. */
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/syscalls/snapshot/snapshot_fields.h"

#define LIST_ROW   struct syscalls_call_row
#define LIST_FILE  "engine/syscalls/snapshot/calls_fields.def"
#define LIST_TABLE syscalls_call_fields
#include "engine/value/list_field_table.h"
