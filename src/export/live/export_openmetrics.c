#include "export/live/export_openmetrics.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "engine/live/gpu_fields.h"
#include "engine/live/metric.h"
#include "engine/live/proc_rows.h"
#include "engine/live/procs_fields.h"
#include "engine/live/snapshot_fields.h"
#include "engine/value/list_field_document.h"
#include "engine/value/record.h"
#include "export/openmetrics.h"

/* What the values of a record are called and labelled. */
struct named_record {
    struct openmetrics *m;
    struct arena *texts;
    const char *kind;          /* begins their names; "" for none */
    const char *member;        /* where JSON has them: "cpus[]"; "" for the top */
    const char *const *labels; /* names and values in turn; NULL: none */
};

/* The sentence of a family: where the same number stands in JSON, which docs/SNAPSHOT.md tells
 * about. */
static const char *make_sample_help(const struct named_record *r, const char *group,
                                    const char *name)
{
    return arena_printf(r->texts, "%s%s%s%s%s of the document rooftop.snapshot/1", r->member,
                        *r->member ? "." : "", group ? group : "", group ? "." : "", name);
}

static void add_record_value(void *ctx, const char *group, const char *name, const struct value *v)
{
    const struct named_record *r = ctx;
    char full[320];
    snprintf(full, sizeof full, "%s%s%s", group ? group : "", group ? "_" : "", name);
    openmetrics_add(r->m, r->kind, full, make_sample_help(r, group, name), r->labels, v);
}

static void add_record_values(struct named_record r, struct fields f, const void *row)
{
    record_values(f, row, NULL, NULL, add_record_value, &r);
}

/* The fields of a list's row that CSV has, too. */
static void add_list_row(struct named_record r, const struct list_field *fields, const void *row)
{
    const struct list_field *all[FIELDS_MAX];
    const int n = list_fields(fields, FIELD_CSV, all);
    for (int i = 0; i < n; i++) {
        const struct value v = list_field_value(all[i], row);
        const char *name = list_field_csv_name(all[i]);
        openmetrics_add(r.m, r.kind, name, make_sample_help(&r, NULL, name), r.labels, &v);
    }
}

/* --- the parts of a snapshot --- */

static void add_one_sample(struct named_record r, const char *name, double v, enum unit unit)
{
    const struct value x = value_ok(v, unit);
    openmetrics_add(r.m, r.kind, name, make_sample_help(&r, NULL, name), r.labels, &x);
}

static void add_host_samples(struct named_record r, const struct snapshot *s, const char *version)
{
    const struct host *h = s->host;
    const char *const build[] = {"version", version, NULL};
    const char *const about[] = {"hostname", h->hostname, "kernel",     h->kernel, "os",
                                 h->os,      "cpu_model", h->cpu_model, "arch",    h->arch,
                                 "pmu",      h->pmu,      NULL};
    add_one_sample(r, "time", (double)s->wall_ns / 1e9, UNIT_SECONDS);
    if (s->interval_s > 0)
        add_one_sample(r, "interval", s->interval_s, UNIT_SECONDS);
    add_record_values(r, snapshot_record, s);
    r.member = "tasks";
    r.kind = "tasks";
    if (!proc_rows_missing(s)) {
        add_one_sample(r, "processes", (double)s->nprocs, UNIT_COUNT);
        add_one_sample(r, "threads", (double)s->nthreads, UNIT_COUNT);
        add_one_sample(r, "running", (double)s->nrunning, UNIT_COUNT);
    }
    r.kind = "host";
    r.member = "host";
    add_one_sample(r, "cpus", h->ncpus, UNIT_COUNT);
    r.labels = about;
    add_one_sample(r, "info", 1, UNIT_NONE);
    r.labels = build;
    r.kind = "build";
    r.member = "generator";
    add_one_sample(r, "info", 1, UNIT_NONE);
}

static void add_cpu_samples(struct named_record r, const struct snapshot *s)
{
    char id[16];
    const char *const labels[] = {"cpu", id, NULL};
    r.kind = r.member = "cpu_total";
    add_record_values(r, cpu_record, &s->total);
    r.kind = "cpu";
    r.member = "cpus[]";
    r.labels = labels;
    for (int i = 0; s->cpus && i < s->host->ncpus; i++) {
        snprintf(id, sizeof id, "%d", s->cpus[i].id);
        add_record_values(r, cpu_record, &s->cpus[i]);
    }
}

static void add_device_samples(struct named_record r, const struct snapshot *s)
{
    r.member = "io[]";
    for (size_t i = 0; i < s->nio; i++) {
        const char *const labels[] = {"device", s->io[i].name, NULL};
        r.kind = s->io[i].kind == IO_DISK ? "disk" : "network";
        r.labels = labels;
        add_record_values(r, io_record, &s->io[i]);
    }
}

/* Events and metrics differ by host and by user: they are labels, not names, so that a name is
 * always a known one. The unit tells the families apart. */
static void add_counter_samples(struct named_record r, const struct snapshot *s)
{
    r.member = "counters[]";
    for (size_t i = 0; i < s->ncounters; i++) {
        const struct counter *c = &s->counters[i];
        const char *const labels[] = {"set", c->set, "event", c->name, NULL};
        r.labels = labels;
        r.kind = "event";
        openmetrics_add(r.m, r.kind, c->gauge ? "level" : "", make_sample_help(&r, NULL, "rate"),
                        labels, &c->rate);
        if (c->delta.validity == VALUE_OK && !c->gauge)
            add_one_sample(r, "running", 100.0 * (double)c->delta.running, UNIT_PERCENT);
    }
    r.member = "metrics[]";
    for (size_t i = 0; i < s->nmetrics; i++) {
        const struct metric *k = &s->metrics[i];
        const char *const labels[] = {"set", k->def->set, "id", k->def->id, NULL};
        openmetrics_add(r.m, "metric", "", make_sample_help(&r, NULL, "result"), labels, &k->value);
    }
}

/* Of what is watched; all processes of a host would be too many series. */
static void add_process_samples(struct named_record r, const struct snapshot *s)
{
    char pid[16];
    r.kind = "process";
    r.member = "processes[]";
    for (size_t i = 0; s->target_kind != TARGET_HOST && i < s->nprocs; i++) {
        const char *const labels[] = {"pid", pid, "name", s->procs[i].comm, NULL};
        if (!s->procs[i].watched)
            continue;
        snprintf(pid, sizeof pid, "%d", s->procs[i].pid);
        r.labels = labels;
        add_list_row(r, procs_fields, &s->procs[i]);
    }
}

static void add_gpu_process_samples(struct named_record r, const struct gpus *g)
{
    char pid[16];
    r.kind = "gpu_process";
    r.member = "gpus.processes[]";
    for (size_t i = 0; i < g->nprocesses; i++) {
        const struct gpu_process *p = &g->processes[i];
        const char *const labels[] = {
            "gpu", p->gpu >= 0 ? g->gpu[p->gpu].id : "", "pid", pid, "name", p->name, NULL};
        snprintf(pid, sizeof pid, "%d", p->pid);
        r.labels = labels;
        add_list_row(r, gpu_fields, p);
    }
}

static void add_gpu_samples(struct named_record r, const struct gpus *g)
{
    r.kind = "gpu";
    for (size_t i = 0; g && i < g->n; i++) {
        const struct gpu *d = &g->gpu[i];
        const char *const id[] = {"gpu", d->id, NULL};
        const char *const about[] = {"gpu",  d->id,  "vendor", d->vendor, "name",    d->name, "isa",
                                     d->isa, "uuid", d->uuid,  "driver",  d->driver, NULL};
        r.member = "gpus.devices[]";
        r.labels = about;
        add_one_sample(r, "info", 1, UNIT_NONE);
        r.labels = id;
        add_record_values(r, gpus_tables[GPUS_GPU].fields, d);
        r.member = "gpus.devices[].now";
        add_record_values(r, gpus_tables[GPUS_NOW].fields, &g->now[i]);
    }
    if (g)
        add_gpu_process_samples(r, g);
}

void export_openmetrics(FILE *out, const struct snapshot *s, const char *version)
{
    struct arena texts = {0};
    struct named_record r = {
        .m = openmetrics_new(), .texts = &texts, .kind = "", .member = "", .labels = NULL};
    add_host_samples(r, s, version);
    add_cpu_samples(r, s);
    add_device_samples(r, s);
    add_counter_samples(r, s);
    add_process_samples(r, s);
    add_gpu_samples(r, s->gpus);
    openmetrics_write(out, r.m);
    openmetrics_free(r.m);
    arena_free(&texts);
}
