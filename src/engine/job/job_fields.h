/* The fields of a rank of a job: columns of CSV and members of JSON. */
#pragma once

#include "engine/job/job.h"
#include "engine/value/list_field.h"

extern const struct list_field job_fields[]; /* rows: struct job_rank */
