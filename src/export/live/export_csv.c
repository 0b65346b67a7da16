#include "export/live/export_csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"
#include "engine/functions/functions_fields.h"
#include "engine/live/gpu_fields.h"
#include "engine/live/metric.h"
#include "engine/live/procs_fields.h"
#include "engine/live/snapshot_fields.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "engine/value/record.h"

struct csv_document {
    FILE *out;
    char time[40];
};

static void write_snapshot_csv_row(const struct csv_document *c, const char *kind, const char *name,
                                   int cpu, const struct value *v)
{
    char buf[32];
    bool ok = v->validity == VALUE_OK;
    print_csv(c->out, "%s,%s,%s", c->time, kind, name);
    if (cpu >= 0)
        fprintf(c->out, ",%d,", cpu);
    else
        fputs(",,", c->out);
    if (ok)
        fputs(number_text(v->v, buf), c->out);
    fputc(',', c->out);
    print_csv(c->out, "%s,%s,%s,", unit_name((enum unit)v->unit), ok ? "true" : "false",
              ok ? "" : value_why(v));
    if (ok)
        fputs(number_text((double)v->running, buf), c->out);
    fputs("\r\n", c->out);
}

void export_csv_row(FILE *out, const char *time, const char *kind, const char *name,
                    const struct value *v)
{
    struct csv_document c = {.out = out};
    snprintf(c.time, sizeof c.time, "%s", time);
    write_snapshot_csv_row(&c, kind, name, -1, v);
}

/* Writes the fields of a list's row, each as a row called "BEFOREfieldAFTER". */
static void put_fields(const struct csv_document *c, const char *kind, const char *before,
                       const struct list_field *fields, const char *after, const void *row)
{
    const struct list_field *all[FIELDS_MAX];
    char name[1024];
    int n = list_fields(fields, FIELD_CSV, all);
    for (int i = 0; i < n; i++) {
        struct value v = list_field_value(all[i], row);
        snprintf(name, sizeof name, "%s%s%s", before, list_field_csv_name(all[i]), after);
        write_snapshot_csv_row(c, kind, name, -1, &v);
    }
}

void export_csv_fields(FILE *out, const char *time, const char *kind, const char *before,
                       const struct list_field *fields, const void *row)
{
    struct csv_document c = {.out = out};
    snprintf(c.time, sizeof c.time, "%s", time);
    put_fields(&c, kind, before, fields, "", row);
}

/* How the values of a record are named: the name of a group is the kind of its values. */
struct csv_record {
    const struct csv_document *c;
    const char *kind, *before; /* before: text before their names */
    int cpu;
};

static void write_record_value(void *ctx, const char *group, const char *name,
                               const struct value *v)
{
    const struct csv_record *r = ctx;
    char text[320];
    snprintf(text, sizeof text, "%s%s", r->before, name);
    write_snapshot_csv_row(r->c, group ? group : r->kind, text, r->cpu, v);
}

static void rows_cpu(const struct csv_document *c, const struct cpu *cpu)
{
    struct csv_record r = {c, "cpu", "", cpu->id};
    record_values(cpu_record, cpu, NULL, NULL, write_record_value, &r);
}

static void rows_host(const struct csv_document *c, const struct snapshot *s)
{
    struct csv_record r = {c, "host", "", -1};
    const char *last = s->target_kind == TARGET_HOST ? "cpu_account.rest" : NULL;
    record_values(snapshot_record, s, NULL, last, write_record_value, &r);
    for (size_t i = 0; i < s->nio; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.40s/", s->io[i].name);
        r = (struct csv_record){c, s->io[i].kind == IO_DISK ? "disk" : "network", name, -1};
        record_values(io_record, &s->io[i], NULL, NULL, write_record_value, &r);
    }
}

static void rows_percpu(const struct csv_document *c, const struct snapshot *s, const char *kind,
                        const char *name, const struct value *percpu)
{
    for (int i = 0; percpu && i < s->host->ncpus; i++)
        write_snapshot_csv_row(c, kind, name, s->cpus ? s->cpus[i].id : i, &percpu[i]);
}

static void rows_counters(const struct csv_document *c, const struct snapshot *s)
{
    char name[256];
    for (size_t i = 0; i < s->ncounters; i++) {
        const struct counter *k = &s->counters[i];
        snprintf(name, sizeof name, "%s/%s", k->set ? k->set : "", k->name);
        write_snapshot_csv_row(c, k->gauge ? "gauge" : "counter", name, -1, &k->delta);
        if (!k->gauge)
            write_snapshot_csv_row(c, "rate", name, -1, &k->rate);
        rows_percpu(c, s, k->gauge ? "gauge" : "counter", name, k->percpu);
    }
}

static void rows_functions(const struct csv_document *c, const struct hot_stacks *p)
{
    const struct list_field *all[FIELDS_MAX];
    struct function_row *rows;
    size_t n = functions_list(p, &rows);
    int nfields = list_fields(functions_fields, FIELD_CSV, all);
    for (size_t i = 0; i < n; i++) {
        const struct hot_symbol *f = &p->symbols[rows[i].symbol];
        char *name = xcalloc(strlen(f->module) + strlen(f->name) + 2, 1);
        sprintf(name, "%s/%s", f->module, f->name);
        for (int k = 0; k < nfields; k++) {
            struct value v = list_field_value(all[k], &(struct functions_item){p, &rows[i]});
            write_snapshot_csv_row(c, list_field_csv_name(all[k]), name, -1, &v);
        }
        free(name);
    }
    free(rows);
}

/* Rows of a GPU ("gpu,ID/busy") and of its processes ("gpu_process,ID/PID/name"); only values that
 * change. */
static void rows_gpus(const struct csv_document *c, const struct gpus *g)
{
    char name[320];
    for (size_t i = 0; i < g->n; i++) {
        struct csv_record r = {c, "gpu", name, -1};
        snprintf(name, sizeof name, "%.80s/", g->gpu[i].id);
        record_values(gpus_tables[GPUS_NOW].fields, &g->now[i], NULL, NULL, write_record_value, &r);
    }
    for (size_t i = 0; i < g->nprocesses; i++) {
        const struct gpu_process *p = &g->processes[i];
        snprintf(name, sizeof name, "%.80s/%d/", p->gpu >= 0 ? g->gpu[p->gpu].id : "", p->pid);
        put_fields(c, "gpu_process", name, gpu_fields, "", p);
    }
}

/* Rows of a process or a thread. */
static void rows_task(const struct csv_document *c, const char *kind,
                      const struct list_field *fields, const void *row, int id, const char *task)
{
    char after[320];
    snprintf(after, sizeof after, "/%d/%s", id, task ? task : "");
    put_fields(c, kind, "", fields, after, row);
}

void export_csv_header(FILE *out)
{
    fputs("time,kind,name,cpu,value,unit,valid,why,running\r\n", out);
}

void export_csv(FILE *out, const struct snapshot *s)
{
    struct csv_document c = {.out = out};
    struct value interval =
        s->interval_s > 0 ? value_ok(s->interval_s, UNIT_SECONDS) : value_pending(UNIT_SECONDS);
    utc_text(s->wall_ns, c.time);
    write_snapshot_csv_row(&c, "host", "interval", -1, &interval);
    rows_host(&c, s);
    rows_cpu(&c, &s->total);
    for (int i = 0; s->cpus && i < s->host->ncpus; i++)
        rows_cpu(&c, &s->cpus[i]);
    rows_counters(&c, s);
    for (size_t i = 0; i < s->nmetrics; i++) {
        write_snapshot_csv_row(&c, "metric", s->metrics[i].def->id, -1, &s->metrics[i].value);
        rows_percpu(&c, s, "metric", s->metrics[i].def->id, s->metrics[i].percpu);
    }
    for (size_t i = 0; i < s->nprocs; i++)
        rows_task(&c, "process", procs_fields, &s->procs[i], s->procs[i].pid, s->procs[i].comm);
    for (size_t i = 0; i < s->nthread_rows; i++)
        rows_task(&c, "thread", threads_fields, &s->threads[i], s->threads[i].tid,
                  s->threads[i].name);
    if (s->stacks)
        rows_functions(&c, s->stacks);
    if (s->gpus)
        rows_gpus(&c, s->gpus);
}
