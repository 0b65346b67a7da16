#include <math.h>

#include "engine/roofs/host_roofs.h"

#define LIST_ROW   struct host_roof
#define LIST_FILE  "engine/roofs/host_roofs_fields.def"
#define LIST_TABLE host_roofs_fields
#include "engine/value/list_field_table.h"
