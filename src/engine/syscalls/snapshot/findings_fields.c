/* The fields of the list of anti-patterns. */
#include <math.h>

#include "engine/syscalls/snapshot/syscalls_snapshot.h"

#define LIST_ROW   struct antipattern_finding
#define LIST_FILE  "engine/syscalls/snapshot/findings_fields.def"
#define LIST_TABLE syscalls_finding_fields
#include "engine/value/list_field_table.h"
