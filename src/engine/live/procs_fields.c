#include "engine/live/procs_fields.h"

static double cpu_percent_of_process(const struct proc *p)
{
    return p->cpu_percent.validity == VALUE_OK ? p->cpu_percent.v : -1;
}

/* The busiest first. Idle processes are ordered by the CPU time that they have used. */
static int by_cpu(const void *a, const void *b)
{
    const struct proc *p = a, *q = b;
    double x = cpu_percent_of_process(p), y = cpu_percent_of_process(q);
    if (x == y)
        x = p->cpu_seconds, y = q->cpu_seconds;
    return (x < y) - (x > y);
}

static const char *write_process_state(const struct proc *p, char buf[FIELD_TEXT_MAX])
{
    buf[0] = p->state ? p->state : '?';
    buf[1] = '\0';
    return buf;
}

#define LIST_ROW   struct proc
#define LIST_FILE  "engine/live/procs_fields.def"
#define LIST_TABLE procs_fields
#include "engine/value/list_field_table.h"
