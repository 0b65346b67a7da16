/* The fields of the table by process. */
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/syscalls/snapshot/snapshot_fields.h"

static const char *write_state_of_process(const struct syscalls_process_row *r,
                                          char buf[FIELD_TEXT_MAX])
{
    return syscalls_process_state(r, buf, FIELD_TEXT_MAX);
}

#define LIST_ROW   struct syscalls_process_row
#define LIST_FILE  "engine/syscalls/snapshot/processes_fields.def"
#define LIST_TABLE syscalls_process_fields
#include "engine/value/list_field_table.h"
