#include "engine/live/procs_fields.h"

static const char *write_thread_state(char state, char buf[FIELD_TEXT_MAX])
{
    buf[0] = state ? state : '?';
    buf[1] = '\0';
    return buf;
}

#define LIST_ROW   struct proc_thread
#define LIST_FILE  "engine/live/threads_fields.def"
#define LIST_TABLE threads_fields
#include "engine/value/list_field_table.h"
