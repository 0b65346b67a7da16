#include "export/live/syscalls_snapshot_export.h"

#include <math.h>

#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "export/live/export_csv.h"

static void add_syscalls_list(cJSON *to, const struct syscalls_snapshot *p,
                              enum syscalls_list which, size_t most)
{
    const struct syscalls_list_ops *ops = &syscalls_lists[which];
    cJSON *list = cJSON_AddArrayToObject(to, ops->name);
    struct syscalls_event_row buf;
    const size_t n = ops->count(p);
    for (size_t i = 0; i < n && (!most || i < most); i++) {
        cJSON *row = cJSON_CreateObject();
        list_fields_json(row, ops->fields, ops->row(p, i, &buf), 1, FIELDS_MAX);
        cJSON_AddItemToArray(list, row);
    }
}

static void add_rates(cJSON *to, const struct syscalls_rates *r)
{
    cJSON *o = cJSON_AddObjectToObject(to, "rates");
    json_add_u64(o, "width_ns", r->width_ns);
    cJSON *calls = cJSON_AddArrayToObject(o, "calls"),
          *errors = cJSON_AddArrayToObject(o, "errors"),
          *bytes = cJSON_AddArrayToObject(o, "bytes");
    for (uint32_t i = 0; i < r->n; i++) {
        cJSON_AddItemToArray(calls, cJSON_CreateNumber((double)r->calls[i]));
        cJSON_AddItemToArray(errors, cJSON_CreateNumber((double)r->errors[i]));
        cJSON_AddItemToArray(bytes, cJSON_CreateNumber((double)r->bytes[i]));
    }
}

cJSON *syscalls_snapshot_json(const struct syscalls_snapshot *p)
{
    cJSON *o = cJSON_CreateObject();
    json_add_text(o, "state", syscalls_state_name(p->state));
    json_add_text(o, "by", p->by[0] ? p->by : NULL);
    json_add_text(o, "why", p->state == SYSCALLS_FAILED ? p->why : NULL);
    json_add_u64(o, "count", p->count);
    json_add_u64(o, "errors", p->errors);
    json_add_u64(o, "unfinished", p->unfinished);
    json_add_u64(o, "lost", p->lost);
    json_add_u64(o, "rings", p->rings);
    json_add_number(o, "time_ns", p->has_times ? (double)p->total_ns : NAN);
    json_add_number(o, "elapsed_ns", (double)(p->end_ns - p->begin_ns));
    json_add_number(o, "tracer_cpu", p->tracer_cpu);
    cJSON_AddBoolToObject(o, "full", p->full);
    json_add_u64(o, "all_processes", p->all_processes);
    json_add_u64(o, "all_files", p->all_files);
    add_rates(o, &p->rates);
    for (int i = 0; i < SYSCALLS_LISTS; i++)
        add_syscalls_list(o, p, (enum syscalls_list)i,
                          i == SYSCALLS_EVENTS ? SYSCALLS_JSON_EVENTS : 0);
    return o;
}

/* Writes the name of a row: its first text, for processes with the pid. */
static void write_syscalls_row_name(enum syscalls_list list, const void *row, char *out,
                                    size_t size)
{
    char buf[FIELD_TEXT_MAX];
    const struct list_field *f = syscalls_lists[list].fields;
    while (!f->text)
        f++;
    const char *text = f->text(row, buf);
    if (list == SYSCALLS_PROCESSES)
        snprintf(out, size, "%d/%.200s", (int)((const struct syscalls_process_row *)row)->pid,
                 text);
    else if (list == SYSCALLS_ORIGINS) {
        char where[FIELD_TEXT_MAX];
        syscalls_origin_text(row, where, sizeof where);
        snprintf(out, size, "%.60s/%.240s", text, where);
    } else
        snprintf(out, size, "%.300s", text);
}

static void write_syscalls_csv_row(FILE *out, const char *time, enum syscalls_list list,
                                   const void *row)
{
    const struct list_field *columns[FIELDS_MAX];
    const int n = list_fields(syscalls_lists[list].fields, FIELD_CSV, columns);
    char kind[48], name[512], of[320];
    snprintf(kind, sizeof kind, "syscalls_%s", syscalls_lists[list].name);
    write_syscalls_row_name(list, row, of, sizeof of);
    for (int i = 0; i < n; i++) {
        if (!columns[i]->number)
            continue;
        const double v = list_field_number(columns[i], row);
        const struct value value =
            isnan(v) ? value_missing("not known", columns[i]->unit) : value_ok(v, columns[i]->unit);
        snprintf(name, sizeof name, "%s.%s", of, columns[i]->name);
        export_csv_row(out, time, kind, name, &value);
    }
}

void syscalls_snapshot_csv(FILE *out, const struct syscalls_snapshot *p, const char *time)
{
    struct syscalls_event_row buf;
    for (int list = 0; list < SYSCALLS_LISTS; list++)
        for (size_t i = 0; list != SYSCALLS_EVENTS && i < syscalls_lists[list].count(p); i++)
            write_syscalls_csv_row(out, time, (enum syscalls_list)list,
                                   syscalls_lists[list].row(p, i, &buf));
}
