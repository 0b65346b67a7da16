/* The fields of a compared number: columns of the list, its orders, CSV and JSON. */
#pragma once

#include "engine/compare/compare.h"
#include "engine/value/list_field.h"

extern const struct list_field compare_fields[]; /* rows: struct compare_row */
enum compare_field {
#define LIST_FILE   "engine/compare/compare_fields.def"
#define LIST_ID(id) COMPARE_FIELD_##id
#include "engine/value/list_field_ids.h"
};
/* In JSON a row has its members up to this one before its two sides, the others after them. */
enum { COMPARE_BEFORE_SIDES = 9 };
