#include "engine/counters/event_catalog.h"

static const char *state_name(const struct catalog_event *r)
{
    if (r->state == EVENT_OPENS)
        return "yes";
    return r->state == EVENT_REFUSED ? "no" : "";
}

#define LIST_ROW   struct catalog_event
#define LIST_FILE  "engine/counters/events_fields.def"
#define LIST_TABLE events_fields
#include "engine/value/list_field_table.h"
