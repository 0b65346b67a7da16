#include "engine/export_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "engine/export.h"
#include "engine/functions.h"
#include "engine/metric.h"

/* --- pieces --- */

static void add_text(cJSON *to, const char *key, const char *text)
{
    if (!text) {
        cJSON_AddNullToObject(to, key);
        return;
    }
    char *clean = export_utf8(text, strlen(text));
    cJSON_AddStringToObject(to, key, clean);
    free(clean);
}

/* Exact, where a double would round: counts reach 2^64. */
static void add_u64(cJSON *to, const char *key, uint64_t v)
{
    char buf[24];
    snprintf(buf, sizeof buf, "%" PRIu64, v);
    cJSON_AddRawToObject(to, key, buf);
}

static void add_number(cJSON *to, const char *key, double v)
{
    char buf[32];
    cJSON_AddRawToObject(to, key, export_number(v, buf));
}

static cJSON *value_json(const struct value *v)
{
    cJSON *j = cJSON_CreateObject();
    bool ok = v->validity == VALUE_OK;
    if (ok)
        add_number(j, "value", v->v);
    else
        cJSON_AddNullToObject(j, "value");
    cJSON_AddStringToObject(j, "unit", unit_name((enum unit)v->unit));
    cJSON_AddBoolToObject(j, "valid", ok);
    if (!ok)
        add_text(j, "why", export_why(v));
    if (ok && v->running < 1)
        add_number(j, "running", (double)v->running);
    if (ok && v->flags) { /* nothing is scaled that is not there */
        cJSON *flags = cJSON_AddArrayToObject(j, "flags");
        for (unsigned bit = 1; bit <= VALUE_CROSS_GROUP; bit <<= 1)
            if (v->flags & bit)
                cJSON_AddItemToArray(flags, cJSON_CreateString(export_flag(bit)));
    }
    return j;
}

static void add_value(cJSON *to, const char *key, const struct value *v)
{
    cJSON_AddItemToObject(to, key, value_json(v));
}

static void add_ok(cJSON *to, const char *key, double v, enum unit unit)
{
    struct value x = value_ok(v, unit);
    add_value(to, key, &x);
}

/* Numbers of the kernel that may be unknown (-1): null then. */
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
        cJSON *v = value_json(&percpu[i]);
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
    add_text(j, "hostname", h->hostname);
    add_text(j, "kernel", h->kernel);
    add_text(j, "os", h->os);
    add_text(j, "arch", h->arch);
    add_text(j, "cpu_model", h->cpu_model);
    add_text(j, "hypervisor", h->hypervisor[0] ? h->hypervisor : NULL);
    add_text(j, "container", h->container[0] ? h->container : NULL);
    add_text(j, "pmu", h->pmu);
    add_text(j, "pmu_arch", h->pmu_arch);
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
    add_value(j, "memory", &memory);
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
        add_text(j, "kind", c->kind ? kind : NULL);
    }
    add_value(j, "busy", &c->busy);
    add_value(j, "user", &c->user);
    add_value(j, "system", &c->system);
    add_value(j, "iowait", &c->iowait);
    add_value(j, "irq", &c->irq);
    add_value(j, "steal", &c->steal);
    add_value(j, "frequency", &c->hz);
    return j;
}

static void add_host_state(cJSON *doc, const struct snapshot *s)
{
    const struct memory *m = &s->memory;
    cJSON *load = cJSON_AddObjectToObject(doc, "load");
    add_value(load, "1", &s->load1);
    add_value(load, "5", &s->load5);
    add_value(load, "15", &s->load15);
    add_value(doc, "uptime", &s->uptime_s);
    cJSON *mem = cJSON_AddObjectToObject(doc, "memory");
    add_value(mem, "total", &m->total);
    add_value(mem, "used", &m->used);
    add_value(mem, "available", &m->available);
    add_value(mem, "cached", &m->cached);
    add_value(mem, "buffers", &m->buffers);
    add_value(mem, "swap_total", &m->swap_total);
    add_value(mem, "swap_used", &m->swap_used);
    cJSON *psi = cJSON_AddObjectToObject(doc, "pressure");
    add_value(psi, "cpu", &s->pressure.cpu);
    add_value(psi, "memory", &s->pressure.memory);
    add_value(psi, "io", &s->pressure.io);
    cJSON_AddItemToObject(doc, "cpu_total", cpu_json(&s->total, true));
    cJSON *cpus = cJSON_AddArrayToObject(doc, "cpus");
    for (int i = 0; s->cpus && i < s->host->ncpus; i++)
        cJSON_AddItemToArray(cpus, cpu_json(&s->cpus[i], false));
}

static cJSON *proc_json(const struct proc *p)
{
    char state[2] = {p->state ? p->state : '?', 0};
    cJSON *j = cJSON_CreateObject();
    cJSON_AddNumberToObject(j, "pid", p->pid);
    cJSON_AddNumberToObject(j, "ppid", p->ppid);
    cJSON_AddNumberToObject(j, "uid", p->uid);
    add_text(j, "user", p->user);
    add_text(j, "comm", p->comm);
    add_text(j, "cmdline", p->cmdline);
    add_text(j, "state", state);
    cJSON_AddBoolToObject(j, "kernel_thread", p->kernel_thread);
    cJSON_AddBoolToObject(j, "watched", p->watched);
    cJSON_AddNumberToObject(j, "threads", p->threads);
    cJSON_AddNumberToObject(j, "nice", p->nice);
    add_id(j, "cpu", p->cpu);
    add_value(j, "cpu_percent", &p->cpu_percent);
    add_ok(j, "cpu_time", p->cpu_seconds, UNIT_SECONDS);
    add_ok(j, "rss", (double)p->rss, UNIT_BYTES);
    add_ok(j, "virt", (double)p->virt, UNIT_BYTES);
    return j;
}

static cJSON *counter_json(const struct snapshot *s, const struct counter *c)
{
    cJSON *j = cJSON_CreateObject();
    add_text(j, "name", c->name);
    add_text(j, "set", c->set);
    add_text(j, "spec", c->spec);
    add_text(j, "description", c->desc);
    add_text(j, "source", c->source);
    add_id(j, "group", c->group);
    cJSON_AddBoolToObject(j, "gauge", c->gauge);
    cJSON_AddBoolToObject(j, "user", c->user);
    add_value(j, "delta", &c->delta);
    add_value(j, "rate", &c->rate);
    cJSON *raw = cJSON_AddObjectToObject(j, "raw");
    add_u64(raw, "count", c->raw);
    add_u64(raw, "enabled_ns", c->enabled_ns);
    add_u64(raw, "running_ns", c->running_ns);
    add_percpu(j, s, c->percpu);
    return j;
}

static cJSON *metric_json(const struct snapshot *s, const struct metric *m)
{
    cJSON *j = cJSON_CreateObject();
    add_text(j, "id", m->def->id);
    add_text(j, "label", m->def->label);
    add_text(j, "set", m->def->set);
    add_text(j, "formula", m->def->formula);
    add_text(j, "group", metric_group_title(m->def->group));
    add_text(j, "description", m->def->what);
    add_text(j, "reference", m->def->reference);
    add_text(j, "parent", m->def->parent);
    add_value(j, "result", &m->value);
    add_percpu(j, s, m->percpu);
    return j;
}

static const char *notice_level_name(enum notice_level level)
{
    return level == NOTICE_ERROR ? "error" : level == NOTICE_WARN ? "warning" : "info";
}

static void add_notices(cJSON *doc, const struct snapshot *s)
{
    cJSON *list = cJSON_AddArrayToObject(doc, "notices");
    for (size_t i = 0; i < s->nnotices; i++) {
        const struct notice *n = &s->notices[i];
        cJSON *j = cJSON_CreateObject();
        cJSON_AddStringToObject(j, "level", notice_level_name(n->level));
        add_text(j, "id", n->id);
        add_text(j, "text", n->text);
        add_text(j, "help", n->help);
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
    add_ok(j, "elapsed", c->elapsed_s, UNIT_SECONDS);
    cJSON *out = cJSON_AddObjectToObject(j, "output");
    char *tail = c->output ? export_utf8(c->output, c->output_len) : NULL;
    add_text(out, "tail", tail);
    free(tail);
    add_u64(out, "bytes", c->output_total);
    add_u64(out, "bytes_dropped", c->output_dropped);
}

static void add_cost(cJSON *doc, const struct snapshot *s)
{
    cJSON *j = cJSON_AddObjectToObject(doc, "cost");
    struct value cpu = s->interval_s > 0 ? value_ok((double)s->own_cpu_ns / 1e9, UNIT_SECONDS)
                                         : value_pending(UNIT_SECONDS);
    struct value rss = s->own_rss ? value_ok((double)s->own_rss, UNIT_BYTES)
                                  : value_missing("/proc/self/statm cannot be read", UNIT_BYTES);
    add_value(j, "cpu_time", &cpu);
    add_value(j, "rss", &rss);
    add_u64(j, "late_samples", s->late_samples);
    cJSON *list = cJSON_AddArrayToObject(j, "sources");
    for (size_t i = 0; i < s->ncosts; i++) {
        cJSON *c = cJSON_CreateObject();
        add_text(c, "name", s->costs[i].name);
        add_ok(c, "poll", (double)s->costs[i].poll_ns / 1e9, UNIT_SECONDS);
        cJSON_AddItemToArray(list, c);
    }
}

static const char *known(const char *text)
{
    return text && *text ? text : NULL;
}

static cJSON *function_json(const struct profile *p, const struct function_row *r)
{
    const struct profile_symbol *f = &p->symbols[r->symbol];
    double all = p->samples ? (double)p->samples : 1;
    cJSON *j = cJSON_CreateObject();
    add_text(j, "name", f->name);
    add_text(j, "module", f->module);
    add_text(j, "path", known(f->path));
    add_text(j, "file", known(f->file));
    add_id(j, "line", f->line > 0 ? f->line : -1);
    cJSON_AddStringToObject(j, "where", functions_where_name((enum profile_where)f->where));
    cJSON_AddBoolToObject(j, "inlined", f->inlined);
    add_u64(j, "self", r->self);
    add_u64(j, "total", r->total);
    add_ok(j, "self_share", (double)r->self / all * 100, UNIT_PERCENT);
    add_ok(j, "total_share", (double)r->total / all * 100, UNIT_PERCENT);
    return j;
}

static void add_functions(cJSON *doc, const struct profile *p)
{
    struct function_row *rows;
    if (!p) {
        cJSON_AddNullToObject(doc, "functions");
        return;
    }
    cJSON *j = cJSON_AddObjectToObject(doc, "functions");
    add_text(j, "event", p->event);
    add_text(j, "why", p->why);
    cJSON_AddStringToObject(j, "call_graph",
                            functions_callgraph_name((enum callgraph)p->callgraph));
    add_ok(j, "rate", p->hz, UNIT_HZ);
    add_ok(j, "time", p->seconds, UNIT_SECONDS);
    add_u64(j, "samples", p->samples);
    add_u64(j, "lost", p->lost);
    add_u64(j, "throttled", p->throttled);
    cJSON *list = cJSON_AddArrayToObject(j, "list");
    size_t n = functions_list(p, &rows);
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(list, function_json(p, &rows[i]));
    free(rows);
}

/* --- the document --- */

cJSON *export_json(const struct snapshot *s, const char *version)
{
    char time[40];
    cJSON *doc = cJSON_CreateObject();
    cJSON_AddStringToObject(doc, "schema", EXPORT_JSON_SCHEMA);
    cJSON *generator = cJSON_AddObjectToObject(doc, "generator");
    cJSON_AddStringToObject(generator, "name", "rooftop");
    cJSON_AddStringToObject(generator, "version", version);
    add_u64(doc, "seq", s->seq);
    cJSON_AddStringToObject(doc, "time", export_time(s->wall_ns, time));
    struct value interval =
        s->interval_s > 0 ? value_ok(s->interval_s, UNIT_SECONDS) : value_pending(UNIT_SECONDS);
    add_value(doc, "interval", &interval);
    cJSON *target = cJSON_AddObjectToObject(doc, "target");
    cJSON_AddStringToObject(target, "kind", target_kind_name(s->target_kind));
    add_text(target, "text", s->target);
    cJSON_AddBoolToObject(target, "gone", s->target_gone);
    cJSON_AddItemToObject(doc, "host", host_json(s->host));
    add_host_state(doc, s);
    cJSON *counts = cJSON_AddObjectToObject(doc, "tasks");
    add_u64(counts, "processes", s->nprocs);
    add_u64(counts, "threads", s->nthreads);
    add_u64(counts, "running", s->nrunning);
    cJSON *procs = cJSON_AddArrayToObject(doc, "processes");
    for (size_t i = 0; i < s->nprocs; i++)
        cJSON_AddItemToArray(procs, proc_json(&s->procs[i]));
    cJSON *counters = cJSON_AddArrayToObject(doc, "counters");
    for (size_t i = 0; i < s->ncounters; i++)
        cJSON_AddItemToArray(counters, counter_json(s, &s->counters[i]));
    cJSON *metrics = cJSON_AddArrayToObject(doc, "metrics");
    for (size_t i = 0; i < s->nmetrics; i++)
        cJSON_AddItemToArray(metrics, metric_json(s, &s->metrics[i]));
    add_notices(doc, s);
    add_command(doc, &s->command);
    add_cost(doc, s);
    add_functions(doc, s->profile);
    return doc;
}

char *export_json_text(const struct snapshot *s, const char *version, bool indented)
{
    cJSON *doc = export_json(s, version);
    char *text = indented ? cJSON_Print(doc) : cJSON_PrintUnformatted(doc);
    cJSON_Delete(doc);
    return text;
}
