#include "engine/live/gpu_fields.h"

#define LIST_ROW   struct gpu_process
#define LIST_FILE  "engine/live/gpu_fields.def"
#define LIST_TABLE gpu_fields
#include "engine/value/list_field_table.h"
