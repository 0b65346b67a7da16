/* The fields of a process on a GPU: columns of its list, its orders, filters, CSV and JSON. */
#pragma once

#include "engine/live/gpus.h"
#include "engine/value/list_field.h"

extern const struct list_field gpu_fields[]; /* rows: struct gpu_process */
enum gpu_field {
#define LIST_FILE   "engine/live/gpu_fields.def"
#define LIST_ID(id) GPU_FIELD_##id
#include "engine/value/list_field_ids.h"
};
