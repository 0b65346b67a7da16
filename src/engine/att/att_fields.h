/* The fields of an instruction of a thread trace: columns, orders, filters, CSV and JSON. */
#pragma once

#include "engine/att/att_analysis.h"
#include "engine/value/list_field.h"

struct att_item {
    const struct att *a;
    const struct att_totals *t;
    const struct att_row *row;
};
extern const struct list_field att_fields[]; /* rows: struct att_item */
enum att_field {
#define LIST_FILE   "engine/att/att_fields.def"
#define LIST_ID(id) ATT_FIELD_##id
#include "engine/value/list_field_ids.h"
};
