#include "engine/analysis/steps_fields.h"

/* What devices did is not known of a step that used none. */
static uint64_t of_devices(const struct profile_step *r, uint64_t v)
{
    return r->use.wall ? v : UINT64_MAX;
}

#define LIST_ROW   struct profile_step
#define LIST_FILE  "engine/analysis/steps_fields.def"
#define LIST_TABLE steps_fields
#include "engine/value/list_field_table.h"
