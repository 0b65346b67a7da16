/* The fields of the table by call and the function that made it. */
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/syscalls/snapshot/snapshot_fields.h"

static const char *write_origin_where(const struct syscalls_origin_row *r, char buf[FIELD_TEXT_MAX])
{
    syscalls_origin_text(r, buf, FIELD_TEXT_MAX);
    return buf;
}

static const char *callers_of(const struct syscalls_origin_row *r, char buf[FIELD_TEXT_MAX])
{
    syscalls_origin_callers(r, buf, FIELD_TEXT_MAX);
    return buf;
}

static const char *module_of_origin(const struct syscalls_origin_row *r)
{
    return r->origin ? r->origin->module : "";
}

static const char *write_origin_source(const struct syscalls_origin_row *r,
                                       char buf[FIELD_TEXT_MAX])
{
    if (!r->origin || r->origin->line <= 0)
        return "";
    print_line(buf, FIELD_TEXT_MAX, "%s:%d", r->origin->file, r->origin->line);
    return buf;
}

static double mean_time_of_origin(const struct syscalls_origin_row *r)
{
    const double time = if_timed(r->share, r->total_ns);
    return if_known(r->calls > 0, r->calls ? time / (double)r->calls : 0);
}

void syscalls_origin_text(const struct syscalls_origin_row *r, char *out, size_t size)
{
    if (r->origin)
        syscall_frame_line(r->origin, out, size);
    else
        snprintf(out, size, "%s", r->stack ? "no function is named" : "no stack");
}

void syscalls_origin_callers(const struct syscalls_origin_row *r, char *out, size_t size)
{
    size_t n = 0;
    uint32_t i = 0;
    char name[256];
    out[0] = '\0';
    while (r->origin && i < r->stack->n && r->stack->frames[i] != r->origin)
        i++;
    for (i++; r->origin && i < r->stack->n && n + 8 < size; i++) {
        print_line(out + n, size - n, "%s%.200s", n ? " < " : "",
                   syscall_frame_name(r->stack->frames[i], name, sizeof name));
        n += strlen(out + n);
    }
}

#define LIST_ROW   struct syscalls_origin_row
#define LIST_FILE  "engine/syscalls/snapshot/origins_fields.def"
#define LIST_TABLE syscalls_origin_fields
#include "engine/value/list_field_table.h"
