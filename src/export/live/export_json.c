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
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"

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

static const char *target_kind_name(enum target_kind k)
{
    switch (k) {
    case TARGET_COMMAND:
        return "command";
    case TARGET_PIDS:
        return "pids";
    case TARGET_CGROUP:
        return "cgroup";
    case TARGET_HOST:
        break;
    }
    return "host";
}

static cJSON *host_json(const struct host *h)
{
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "hostname", h->hostname);
    json_add_text(j, "kernel", h->kernel);
    json_add_text(j, "os", h->os);
    json_add_text(j, "arch", h->arch);
    json_add_text(j, "cpu_model", h->cpu_model);
    json_add_text(j, "hypervisor", h->hypervisor[0] ? h->hypervisor : NULL);
    json_add_text(j, "container", h->container[0] ? h->container : NULL);
    json_add_text(j, "pmu", h->pmu);
    json_add_text(j, "pmu_arch", h->pmu_arch);
    cJSON_AddNumberToObject(j, "cpus", h->ncpus);
    cJSON_AddNumberToObject(j, "sockets", h->nsockets);
    cJSON_AddNumberToObject(j, "cores", h->ncores);
    cJSON_AddNumberToObject(j, "nodes", h->nnodes);
    if (h->paranoid == -100)
        cJSON_AddNullToObject(j, "perf_event_paranoid");
    else
        cJSON_AddNumberToObject(j, "perf_event_paranoid", h->paranoid);
    cJSON_AddBoolToObject(j, "nmi_watchdog", h->nmi_watchdog);
    struct value memory = h->mem_total ? value_ok((double)h->mem_total, UNIT_BYTES)
                                       : value_missing("/proc/meminfo cannot be read", UNIT_BYTES);
    json_add_value(j, "memory", &memory);
    return j;
}

static cJSON *cpu_json(const struct cpu *c, bool total)
{
    cJSON *j = cJSON_CreateObject();
    if (!total) {
        char kind[2] = {c->kind, 0};
        cJSON_AddNumberToObject(j, "id", c->id);
        add_id(j, "package", c->package);
        add_id(j, "core", c->core);
        add_id(j, "node", c->node);
        add_id(j, "llc", c->llc);
        json_add_text(j, "kind", c->kind ? kind : NULL);
    }
    json_add_value(j, "busy", &c->busy);
    json_add_value(j, "user", &c->user);
    json_add_value(j, "system", &c->system);
    json_add_value(j, "iowait", &c->iowait);
    json_add_value(j, "irq", &c->irq);
    json_add_value(j, "steal", &c->steal);
    json_add_value(j, "frequency", &c->hz);
    return j;
}

static void add_account(cJSON *doc, const struct cpu_account *a)
{
    cJSON *j = cJSON_AddObjectToObject(doc, "cpu_account");
    json_add_value(j, "processes", &a->processes);
    json_add_value(j, "ended", &a->ended);
    json_add_value(j, "rest", &a->rest);
    json_add_u64(j, "processes_ended", a->nended);
    add_id(j, "parent", a->parent > 0 ? a->parent : -1);
}

static void add_io(cJSON *doc, const struct snapshot *s)
{
    cJSON *list = cJSON_AddArrayToObject(doc, "io");
    for (size_t i = 0; i < s->nio; i++) {
        const struct io_device *d = &s->io[i];
        cJSON *j = cJSON_CreateObject();
        cJSON_AddStringToObject(j, "kind", d->kind == IO_DISK ? "disk" : "network");
        json_add_text(j, "name", d->name);
        cJSON_AddBoolToObject(j, "counted", d->counted);
        json_add_value(j, "in", &d->in);
        json_add_value(j, "out", &d->out);
        cJSON_AddItemToArray(list, j);
    }
}

static void add_host_state(cJSON *doc, const struct snapshot *s)
{
    const struct memory *m = &s->memory;
    cJSON *load = cJSON_AddObjectToObject(doc, "load");
    json_add_value(load, "1", &s->load1);
    json_add_value(load, "5", &s->load5);
    json_add_value(load, "15", &s->load15);
    json_add_value(doc, "uptime", &s->uptime_s);
    cJSON *mem = cJSON_AddObjectToObject(doc, "memory");
    json_add_value(mem, "total", &m->total);
    json_add_value(mem, "used", &m->used);
    json_add_value(mem, "available", &m->available);
    json_add_value(mem, "cached", &m->cached);
    json_add_value(mem, "buffers", &m->buffers);
    json_add_value(mem, "swap_total", &m->swap_total);
    json_add_value(mem, "swap_used", &m->swap_used);
    cJSON *psi = cJSON_AddObjectToObject(doc, "pressure");
    json_add_value(psi, "cpu", &s->pressure.cpu);
    json_add_value(psi, "memory", &s->pressure.memory);
    json_add_value(psi, "io", &s->pressure.io);
    add_account(doc, &s->account);
    add_io(doc, s);
    cJSON_AddItemToObject(doc, "cpu_total", cpu_json(&s->total, true));
    cJSON *cpus = cJSON_AddArrayToObject(doc, "cpus");
    for (int i = 0; s->cpus && i < s->host->ncpus; i++)
        cJSON_AddItemToArray(cpus, cpu_json(&s->cpus[i], false));
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
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "name", c->name);
    json_add_text(j, "set", c->set);
    json_add_text(j, "spec", c->spec);
    json_add_text(j, "description", c->desc);
    json_add_text(j, "source", c->source);
    add_id(j, "group", c->group);
    cJSON_AddBoolToObject(j, "gauge", c->gauge);
    cJSON_AddBoolToObject(j, "user", c->user);
    json_add_value(j, "delta", &c->delta);
    json_add_value(j, "rate", &c->rate);
    cJSON *raw = cJSON_AddObjectToObject(j, "raw");
    json_add_u64(raw, "count", c->raw);
    json_add_u64(raw, "enabled_ns", c->enabled_ns);
    json_add_u64(raw, "running_ns", c->running_ns);
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
    json_add_value(j, "result", &m->value);
    add_percpu(j, s, m->percpu);
    return j;
}

static const char *notice_level_name(enum notice_level level)
{
    if (level == NOTICE_ERROR)
        return "error";
    return level == NOTICE_WARN ? "warning" : "info";
}

static void add_snapshot_notices(cJSON *doc, const struct snapshot *s)
{
    cJSON *list = cJSON_AddArrayToObject(doc, "notices");
    for (size_t i = 0; i < s->nnotices; i++) {
        const struct notice *n = &s->notices[i];
        cJSON *j = cJSON_CreateObject();
        cJSON_AddStringToObject(j, "level", notice_level_name(n->level));
        json_add_text(j, "id", n->id);
        json_add_text(j, "text", n->text);
        json_add_text(j, "help", n->help);
        cJSON_AddItemToArray(list, j);
    }
}

static void add_command(cJSON *doc, const struct command_state *c)
{
    if (c->pid <= 0) {
        cJSON_AddNullToObject(doc, "command");
        return;
    }
    cJSON *j = cJSON_AddObjectToObject(doc, "command");
    bool exited = !c->running && WIFEXITED(c->wait_status);
    bool killed = !c->running && WIFSIGNALED(c->wait_status);
    cJSON_AddNumberToObject(j, "pid", c->pid);
    cJSON_AddBoolToObject(j, "running", c->running);
    add_id(j, "exit_status", exited ? WEXITSTATUS(c->wait_status) : -1);
    add_id(j, "signal", killed ? WTERMSIG(c->wait_status) : -1);
    json_add_ok(j, "elapsed", c->elapsed_s, UNIT_SECONDS);
    cJSON *out = cJSON_AddObjectToObject(j, "output");
    char *tail = c->output ? text_utf8(c->output, c->output_len) : NULL;
    json_add_text(out, "tail", tail);
    free(tail);
    json_add_u64(out, "bytes", c->output_total);
    json_add_u64(out, "bytes_dropped", c->output_dropped);
}

static void add_cost(cJSON *doc, const struct snapshot *s)
{
    cJSON *j = cJSON_AddObjectToObject(doc, "cost");
    struct value cpu = s->interval_s > 0 ? value_ok((double)s->own_cpu_ns / 1e9, UNIT_SECONDS)
                                         : value_pending(UNIT_SECONDS);
    struct value rss = s->own_rss ? value_ok((double)s->own_rss, UNIT_BYTES)
                                  : value_missing("/proc/self/statm cannot be read", UNIT_BYTES);
    json_add_value(j, "cpu_time", &cpu);
    json_add_value(j, "rss", &rss);
    json_add_u64(j, "late_samples", s->late_samples);
    cJSON *list = cJSON_AddArrayToObject(j, "sources");
    for (size_t i = 0; i < s->ncosts; i++) {
        cJSON *c = cJSON_CreateObject();
        json_add_text(c, "name", s->costs[i].name);
        json_add_ok(c, "poll", (double)s->costs[i].poll_ns / 1e9, UNIT_SECONDS);
        cJSON_AddItemToArray(list, c);
    }
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
    json_add_ok(j, "rate", p->hz, UNIT_HZ);
    json_add_ok(j, "time", p->seconds, UNIT_SECONDS);
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

/* null where it is not known. */
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
    cJSON *doc = cJSON_CreateObject();
    cJSON_AddStringToObject(doc, "schema", EXPORT_JSON_SCHEMA);
    cJSON *generator = cJSON_AddObjectToObject(doc, "generator");
    cJSON_AddStringToObject(generator, "name", "rooftop");
    cJSON_AddStringToObject(generator, "version", version);
    json_add_u64(doc, "seq", s->seq);
    cJSON_AddStringToObject(doc, "time", utc_text(s->wall_ns, time));
    struct value interval =
        s->interval_s > 0 ? value_ok(s->interval_s, UNIT_SECONDS) : value_pending(UNIT_SECONDS);
    json_add_value(doc, "interval", &interval);
    cJSON *target = cJSON_AddObjectToObject(doc, "target");
    cJSON_AddStringToObject(target, "kind", target_kind_name(s->target_kind));
    json_add_text(target, "text", s->target);
    cJSON_AddBoolToObject(target, "gone", s->target_gone);
    cJSON_AddItemToObject(doc, "host", host_json(s->host));
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
    add_snapshot_notices(doc, s);
    add_command(doc, &s->command);
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
