#include "engine/job/rank_fields.h"

#include <math.h>

#define LIST_ROW   struct job_member
#define LIST_FILE  "engine/job/rank_fields.def"
#define LIST_TABLE rank_fields
#include "engine/value/list_field_table.h"
