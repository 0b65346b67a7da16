/* The fields of the table by call. */
#include "engine/syscalls/picture/picture.h"
#include "engine/syscalls/picture/picture_fields.h"

#define LIST_ROW   struct syscalls_call_row
#define LIST_FILE  "engine/syscalls/picture/calls_fields.def"
#define LIST_TABLE syscalls_call_fields
#include "engine/value/list_field_table.h"
