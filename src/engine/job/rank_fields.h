/* The fields of a rank that recorded itself: columns on the screen, of CSV and of JSON. */
#pragma once

#include "engine/job/job_folder.h"
#include "engine/value/list_field.h"

#define LIST_FILE   "engine/job/rank_fields.def"
#define LIST_ID(id) RANK_FIELD_##id
enum {
#include "engine/value/list_field_ids.h"
};
extern const struct list_field rank_fields[]; /* rows: struct job_member */
