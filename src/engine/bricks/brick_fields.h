/* The fields of a row of a report of bricks: columns of the flat list, CSV and JSON. */
#pragma once

#include "engine/bricks/brick_report.h"
#include "engine/value/list_field.h"

extern const struct list_field brick_fields[]; /* rows: struct brick_row */
enum brick_field {
#define LIST_FILE   "engine/bricks/brick_fields.def"
#define LIST_ID(id) BRICK_FIELD_##id
#include "engine/value/list_field_ids.h"
};
/* Members of JSON behind it are of bricks with a budget only. */
enum { BRICK_WITHOUT_BUDGET = 39 };
