/* The fields of the list of events. */
#include <stdio.h>
#include <string.h>

#include "engine/syscalls/calls.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/syscalls/snapshot/snapshot_fields.h"

static const char *name_of_event_row(const struct syscalls_event_row *r)
{
    static const char *const kinds[SYSCALL_KINDS] = {
        [SYSCALL_SIGNAL] = "(signal)", [SYSCALL_EXIT] = "(exit)", [SYSCALL_STOP] = "(stop)"};
    if (r->e.kind == SYSCALL_CALL)
        return syscall_name(r->e.abi, r->e.number);
    return r->e.kind < SYSCALL_KINDS && kinds[r->e.kind] ? kinds[r->e.kind] : "";
}

static const char *write_event_row_text(const struct syscalls_event_row *r,
                                        char buf[FIELD_TEXT_MAX])
{
    syscalls_event_text(&r->e, buf, FIELD_TEXT_MAX);
    return buf;
}

/* Sorts by the call's name; making the texts of a million calls would take minutes. */
static int by_call(const void *a, const void *b)
{
    return strcmp(name_of_event_row(a), name_of_event_row(b));
}

static const char *write_event_row_error(const struct syscalls_event_row *r,
                                         char buf[FIELD_TEXT_MAX])
{
    const char *name = syscall_failed(&r->e) ? syscall_errno_name((int)-r->e.result) : "";
    if (name)
        return name;
    snprintf(buf, FIELD_TEXT_MAX, "%d", (int)-r->e.result);
    return buf;
}

static double duration_of(const struct syscalls_event_row *r)
{
    const bool has = r->e.kind == SYSCALL_CALL &&
                     !(r->e.flags & (SYSCALL_NO_TIMES | SYSCALL_UNFINISHED)) &&
                     r->e.end_ns >= r->e.begin_ns;
    return if_known(has, has ? (double)(r->e.end_ns - r->e.begin_ns) : 0);
}

static double since_begin(const struct syscalls_event_row *r)
{
    return r->e.begin_ns >= r->begin_ns ? (double)(r->e.begin_ns - r->begin_ns) : 0;
}

static double result_of(const struct syscalls_event_row *r)
{
    return if_known(r->e.kind == SYSCALL_CALL &&
                        !(r->e.flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT)),
                    (double)r->e.result);
}

#define LIST_ROW   struct syscalls_event_row
#define LIST_FILE  "engine/syscalls/snapshot/events_fields.def"
#define LIST_TABLE syscalls_event_fields
#include "engine/value/list_field_table.h"
