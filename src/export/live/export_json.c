#include "export/live/export_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "engine/functions/functions_fields.h"
#include "engine/functions/hot_hint.h"
#include "engine/live/metric.h"
#include "engine/live/proc_rows.h"
#include "engine/live/procs_fields.h"
#include "engine/live/snapshot_fields.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "engine/value/record.h"

/* --- helpers --- */

/* Adds a number of the kernel's, such as a PID; null if it is unknown (-1). */
static void add_id(cJSON *to, const char *key, int id)
{
    if (id < 0)
        cJSON_AddNullToObject(to, key);
    else
        cJSON_AddNumberToObject(to, key, id);
}

static void add_percpu(cJSON *to, const struct snapshot *s, const struct value *percpu)
{
    if (!percpu)
        return;
    cJSON *list = cJSON_AddArrayToObject(to, "per_cpu");
    for (int i = 0; i < s->host->ncpus; i++) {
        cJSON *v = json_value(&percpu[i]);
        cJSON_AddNumberToObject(v, "cpu", s->cpus ? s->cpus[i].id : i);
        cJSON_AddItemToArray(list, v);
    }
}

/* --- sections --- */

static void add_host_state(cJSON *doc, const struct snapshot *s)
{
    record_add(doc, snapshot_record, s, "load.1", "pressure.io");
    record_add(doc, snapshot_record, s, "cpu_account.processes", "cpu_account.parent");
    record_add_rows(doc, "io", io_record, s->io, s->nio);
    record_add(cJSON_AddObjectToObject(doc, "cpu_total"), cpu_record, &s->total, "busy", NULL);
    record_add_rows(doc, "cpus", cpu_record, s->cpus, s->cpus ? (size_t)s->host->ncpus : 0);
}

static cJSON *proc_json(const struct snapshot *s, const struct proc *p)
{
    cJSON *j = cJSON_CreateObject();
    list_fields_json(j, procs_fields, p, 1, 9);
    cJSON_AddNumberToObject(j, "depth", proc_rows_depth(s, p));
    list_fields_json(j, procs_fields, p, 10, UINT8_MAX);
    return j;
}

static cJSON *counter_json(const struct snapshot *s, const struct counter *c)
{
    cJSON *j = record_object(counter_record, c);
    add_percpu(j, s, c->percpu);
    return j;
}

static cJSON *metric_json(const struct snapshot *s, const struct metric *m)
{
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "id", m->def->id);
    json_add_text(j, "label", m->def->label);
    json_add_text(j, "set", m->def->set);
    json_add_text(j, "formula", m->def->formula);
    json_add_text(j, "group", metric_group_title(m->def->group));
    json_add_text(j, "description", m->def->what);
    json_add_text(j, "reference", m->def->reference);
    json_add_text(j, "parent", m->def->parent);
    record_add(j, metric_record, m, NULL, NULL);
    add_percpu(j, s, m->percpu);
    return j;
}

static void add_command(cJSON *doc, const struct snapshot *s)
{
    const struct command_state *c = &s->command;
    if (c->pid <= 0) {
        cJSON_AddNullToObject(doc, "command");
        return;
    }
    cJSON *j = cJSON_AddObjectToObject(doc, "command");
    bool exited = !c->running && WIFEXITED(c->wait_status);
    bool killed = !c->running && WIFSIGNALED(c->wait_status);
    record_add(j, snapshot_record, s, "pid", "running");
    add_id(j, "exit_status", exited ? WEXITSTATUS(c->wait_status) : -1);
    add_id(j, "signal", killed ? WTERMSIG(c->wait_status) : -1);
    record_add(j, snapshot_record, s, "elapsed", "elapsed");
    cJSON *out = cJSON_AddObjectToObject(j, "output");
    char *tail = c->output ? text_utf8(c->output, c->output_len) : NULL;
    json_add_text(out, "tail", tail);
    free(tail);
    record_add(out, snapshot_record, s, "bytes", "bytes_dropped");
}

static void add_cost(cJSON *doc, const struct snapshot *s)
{
    cJSON *j = cJSON_AddObjectToObject(doc, "cost");
    struct value cpu = s->interval_s > 0 ? value_ok((double)s->own_cpu_ns / 1e9, UNIT_SECONDS)
                                         : value_pending(UNIT_SECONDS);
    json_add_value(j, "cpu_time", &cpu);
    record_add(j, snapshot_record, s, "rss", "late_samples");
    record_add_rows(j, "sources", cost_record, s->costs, s->ncosts);
}

static void add_functions(cJSON *doc, const struct hot_stacks *p)
{
    struct function_row *rows;
    if (!p) {
        cJSON_AddNullToObject(doc, "functions");
        return;
    }
    cJSON *j = cJSON_AddObjectToObject(doc, "functions");
    json_add_text(j, "event", p->event);
    json_add_text(j, "why", p->why);
    cJSON_AddStringToObject(j, "call_graph",
                            functions_callgraph_name((enum callgraph)p->callgraph));
    const bool known[] = {p->hz > 0, p->hz > 0 || p->seconds > 0};
    const char *why = "the file does not say it";
    const struct value rate = known[0] ? value_ok(p->hz, UNIT_HZ) : value_missing(why, UNIT_HZ),
                       time = known[1] ? value_ok(p->seconds, UNIT_SECONDS)
                                       : value_missing(why, UNIT_SECONDS);
    json_add_value(j, "rate", &rate);
    json_add_value(j, "time", &time);
    json_add_text(j, "weight", hot_weight_name(p));
    json_add_u64(j, "samples", p->samples);
    json_add_u64(j, "lost", p->lost);
    json_add_u64(j, "throttled", p->throttled);
    struct hot_hint hint;
    hot_hint(p, &hint);
    json_add_value(j, "nameless", &hint.nameless);
    json_add_value(j, "cut", &hint.cut);
    json_add_text(j, "runtime", hint.runtime);
    json_add_text(j, "hint", hint.text[0] ? hint.text : NULL);
    cJSON *list = cJSON_AddArrayToObject(j, "list");
    size_t n = functions_list(p, &rows);
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(
            list, list_fields_object(functions_fields, &(struct functions_item){p, &rows[i]}));
    free(rows);
}

/* --- the document --- */

/* Adds a count, or null if it is unknown. */
static void add_snapshot_count(cJSON *out, const char *name, bool known, size_t n)
{
    if (known)
        json_add_u64(out, name, n);
    else
        cJSON_AddNullToObject(out, name);
}

cJSON *export_json(const struct snapshot *s, const char *version)
{
    char time[40];
    cJSON *doc = document_begin(EXPORT_JSON_SCHEMA);
    cJSON *generator = cJSON_AddObjectToObject(doc, "generator");
    cJSON_AddStringToObject(generator, "name", "rooftop");
    cJSON_AddStringToObject(generator, "version", version);
    record_add(doc, snapshot_record, s, NULL, "seq");
    cJSON_AddStringToObject(doc, "time", utc_text(s->wall_ns, time));
    struct value interval =
        s->interval_s > 0 ? value_ok(s->interval_s, UNIT_SECONDS) : value_pending(UNIT_SECONDS);
    json_add_value(doc, "interval", &interval);
    record_add(doc, snapshot_record, s, "target.kind", "target.gone");
    record_add(doc, snapshot_record, s, "target.processes", "target.elapsed");
    cJSON_AddItemToObject(doc, "host", record_object(host_record, s->host));
    add_host_state(doc, s);
    cJSON *counts = cJSON_AddObjectToObject(doc, "tasks");
    const bool listed = !proc_rows_missing(s);
    add_snapshot_count(counts, "processes", listed, s->nprocs);
    add_snapshot_count(counts, "threads", listed, s->nthreads);
    add_snapshot_count(counts, "running", listed, s->nrunning);
    cJSON *procs = cJSON_AddArrayToObject(doc, "processes");
    for (size_t i = 0; i < s->nprocs; i++)
        cJSON_AddItemToArray(procs, proc_json(s, &s->procs[i]));
    cJSON *threads = cJSON_AddArrayToObject(doc, "threads");
    for (size_t i = 0; i < s->nthread_rows; i++)
        cJSON_AddItemToArray(threads, list_fields_object(threads_fields, &s->threads[i]));
    cJSON *counters = cJSON_AddArrayToObject(doc, "counters");
    for (size_t i = 0; i < s->ncounters; i++)
        cJSON_AddItemToArray(counters, counter_json(s, &s->counters[i]));
    cJSON *metrics = cJSON_AddArrayToObject(doc, "metrics");
    for (size_t i = 0; i < s->nmetrics; i++)
        cJSON_AddItemToArray(metrics, metric_json(s, &s->metrics[i]));
    record_add_rows(doc, "notices", notice_record, s->notices, s->nnotices);
    add_command(doc, s);
    add_cost(doc, s);
    add_functions(doc, s->stacks);
    cJSON_AddItemToObject(doc, "bricks", json_bricks(s->bricks));
    cJSON_AddItemToObject(doc, "gpus", json_gpus(s->gpus));
    return doc;
}

char *export_json_text(const struct snapshot *s, const char *version, bool indented)
{
    cJSON *doc = export_json(s, version);
    char *text = json_document(doc, indented);
    cJSON_Delete(doc);
    return text;
}
