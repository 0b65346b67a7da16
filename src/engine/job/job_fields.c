#include "engine/job/job_fields.h"

#include <math.h>

#define LIST_ROW   struct job_rank
#define LIST_FILE  "engine/job/job_fields.def"
#define LIST_TABLE job_fields
#include "engine/value/list_field_table.h"
