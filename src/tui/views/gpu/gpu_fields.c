#include "tui/views/gpu/gpu.h"

#define LIST_ROW   struct gpu_process
#define LIST_FILE  "tui/views/gpu/gpu_fields.def"
#define LIST_TABLE gpu_fields
#include "engine/value/list_field_table.h"
