/* The fields of a rank that recorded itself: columns on the screen, of CSV and of JSON. */
#pragma once

#include "engine/job/job_folder.h"
#include "engine/value/list_field.h"

extern const struct list_field rank_fields[]; /* rows: struct job_member */
