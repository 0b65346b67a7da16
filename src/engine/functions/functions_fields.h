/* The fields of a function of a profile: columns of the flat list, its orders, filters, CSV, JSON.
 */
#pragma once

#include "engine/functions/functions.h"
#include "engine/value/list_field.h"

struct functions_item {
    const struct hot_stacks *stacks;
    const struct function_row *row;
};
extern const struct list_field functions_fields[]; /* rows: struct functions_item */
enum functions_field {
#define LIST_FILE   "engine/functions/functions_fields.def"
#define LIST_ID(id) FUNCTIONS_FIELD_##id
#include "engine/value/list_field_ids.h"
};
