/* The fields of a step of a profile: columns of the list, CSV and JSON. */
#pragma once

#include "engine/analysis/steps.h"
#include "engine/value/list_field.h"

extern const struct list_field steps_fields[]; /* rows: struct profile_step */
enum steps_field {
#define LIST_FILE   "engine/analysis/steps_fields.def"
#define LIST_ID(id) STEPS_FIELD_##id
#include "engine/value/list_field_ids.h"
};
/* Members 1 to 9 of JSON stand in the step, 10 to 19 in its "path", the others behind that. */
enum { STEPS_PATH_FROM = 10, STEPS_PATH_UNTIL = 19 };
