/* The fields of the table by call. */
#include <math.h>

#include "engine/syscalls/picture/picture.h"

/* NaN where the trace has no times. */
static double timed(double share, uint64_t ns)
{
    return isnan(share) ? NAN : (double)ns;
}

#define LIST_ROW   struct syscalls_call_row
#define LIST_FILE  "engine/syscalls/picture/calls_fields.def"
#define LIST_TABLE syscalls_call_fields
#include "engine/value/list_field_table.h"
