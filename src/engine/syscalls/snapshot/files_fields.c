/* The fields of the table by file, pipe and socket. */
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/syscalls/snapshot/snapshot_fields.h"

#define LIST_ROW   struct syscalls_file_row
#define LIST_FILE  "engine/syscalls/snapshot/files_fields.def"
#define LIST_TABLE syscalls_file_fields
#include "engine/value/list_field_table.h"
