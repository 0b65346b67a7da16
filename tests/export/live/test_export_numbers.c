/* Every number about the machine is under its own name in JSON and CSV: tested with a snapshot in
 * which all numbers differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "engine/live/metric.h"
#include "engine/live/snapshot.h"
#include "export/live/export_csv.h"
#include "export/live/export_json.h"
#include "support/test.h"

enum { CPUS = 2, MANY = 120 };

/* The place of a number in both: "memory/cached" is {"memory": {"cached": …}} and
 * memory,cached,,…; "cpus/1/busy" is in the second item of a list and cpu,busy,1,…; json NULL:
 * only in CSV. */
struct place {
    struct value *v;
    const char *json, *kind, *name, *cpu;
};
static struct place places[MANY];
static size_t n;

static void put(struct value *v, enum unit unit, const char *json, const char *kind,
                const char *name, const char *cpu)
{
    assert_true(n < MANY);
    *v = value_ok(1.5 + (double)n, unit);
    places[n++] = (struct place){v, json, kind, name, cpu};
}

static void put_cpu(struct cpu *c, const char *list, const char *cpu)
{
    static char json[MANY][32];
    static const char *const names[] = {"busy", "user",  "system",   "iowait",
                                        "irq",  "steal", "frequency"};
    struct value *v[] = {&c->busy, &c->user, &c->system, &c->iowait, &c->irq, &c->steal, &c->hz};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        assert_true(n < MANY);
        snprintf(json[n], sizeof *json, "%s/%s", list, names[i]);
        put(v[i], i < 6 ? UNIT_PERCENT : UNIT_HZ, json[n], "cpu", names[i], cpu);
    }
}

static void put_machine(struct snapshot *s)
{
    struct memory *m = &s->memory;
    put(&s->load1, UNIT_NONE, "load/1", "load", "1", "");
    put(&s->load5, UNIT_NONE, "load/5", "load", "5", "");
    put(&s->load15, UNIT_NONE, "load/15", "load", "15", "");
    put(&s->uptime_s, UNIT_SECONDS, "uptime", "host", "uptime", "");
    put(&m->total, UNIT_BYTES, "memory/total", "memory", "total", "");
    put(&m->used, UNIT_BYTES, "memory/used", "memory", "used", "");
    put(&m->available, UNIT_BYTES, "memory/available", "memory", "available", "");
    put(&m->cached, UNIT_BYTES, "memory/cached", "memory", "cached", "");
    put(&m->buffers, UNIT_BYTES, "memory/buffers", "memory", "buffers", "");
    put(&m->swap_total, UNIT_BYTES, "memory/swap_total", "memory", "swap_total", "");
    put(&m->swap_used, UNIT_BYTES, "memory/swap_used", "memory", "swap_used", "");
    put(&s->pressure.cpu, UNIT_PERCENT, "pressure/cpu", "pressure", "cpu", "");
    put(&s->pressure.memory, UNIT_PERCENT, "pressure/memory", "pressure", "memory", "");
    put(&s->pressure.io, UNIT_PERCENT, "pressure/io", "pressure", "io", "");
    put(&s->account.processes, UNIT_PERCENT, "cpu_account/processes", "cpu_account", "processes",
        "");
    put(&s->account.ended, UNIT_PERCENT, "cpu_account/ended", "cpu_account", "ended", "");
    put(&s->account.rest, UNIT_PERCENT, "cpu_account/rest", "cpu_account", "rest", "");
    put(&s->io[0].in, UNIT_BYTES_PER_S, "io/0/in", "network", "eth9/in", "");
    put(&s->io[0].out, UNIT_BYTES_PER_S, "io/0/out", "network", "eth9/out", "");
    put(&s->io[1].in, UNIT_BYTES_PER_S, "io/1/in", "disk", "sdz/in", "");
    put(&s->io[1].out, UNIT_BYTES_PER_S, "io/1/out", "disk", "sdz/out", "");
}

/* A counter and a metric with a value for each CPU, and a gauge without. */
static void put_counters(struct snapshot *s)
{
    static const struct metric_def def = {.id = "m", .label = "m", .what = "w", .reference = "r"};
    struct counter *c = snapshot_add_counter(s);
    *c = (struct counter){.name = "c", .set = "core", .spec = "s", .desc = "d", .source = "test"};
    c->percpu = snapshot_alloc(s, CPUS * sizeof *c->percpu);
    put(&c->delta, UNIT_COUNT, "counters/0/delta", "counter", "core/c", "");
    put(&c->rate, UNIT_COUNT_PER_S, "counters/0/rate", "rate", "core/c", "");
    put(&c->percpu[0], UNIT_COUNT, "counters/0/per_cpu/0", "counter", "core/c", "3");
    put(&c->percpu[1], UNIT_COUNT, "counters/0/per_cpu/1", "counter", "core/c", "5");
    s->metrics = snapshot_alloc(s, sizeof *s->metrics);
    s->nmetrics = 1;
    s->metrics[0] = (struct metric){.def = &def};
    s->metrics[0].percpu = snapshot_alloc(s, CPUS * sizeof *c->percpu);
    put(&s->metrics[0].value, UNIT_PERCENT, "metrics/0/result", "metric", "m", "");
    put(&s->metrics[0].percpu[0], UNIT_PERCENT, "metrics/0/per_cpu/0", "metric", "m", "3");
    put(&s->metrics[0].percpu[1], UNIT_PERCENT, "metrics/0/per_cpu/1", "metric", "m", "5");
}

static struct snapshot *all_different(void)
{
    struct host *h = host_new();
    h->ncpus = CPUS;
    struct snapshot *s = snapshot_new(h);
    host_unref(h);
    n = 0;
    s->interval_s = 0.5;
    s->wall_ns = UINT64_C(1763683349000000007);
    s->target = "this host";
    s->io = snapshot_alloc(s, 2 * sizeof *s->io);
    s->nio = 2;
    s->io[0] = (struct io_device){.kind = IO_NETWORK, .name = "eth9"};
    s->io[1] = (struct io_device){.kind = IO_DISK, .name = "sdz"};
    s->cpus = snapshot_alloc(s, CPUS * sizeof *s->cpus);
    s->cpus[0] = (struct cpu){.id = 3};
    s->cpus[1] = (struct cpu){.id = 5};
    s->total.id = -1;
    put_machine(s);
    put_cpu(&s->total, "cpu_total", "");
    put_cpu(&s->cpus[0], "cpus/0", "3");
    put_cpu(&s->cpus[1], "cpus/1", "5");
    put_counters(s);
    return s;
}

/* Follows "cpus/1/busy": members by name, items by index. */
static const cJSON *follow(const cJSON *j, const char *path)
{
    char text[64], *save = NULL;
    snprintf(text, sizeof text, "%s", path);
    for (char *part = strtok_r(text, "/", &save); j && part; part = strtok_r(NULL, "/", &save))
        j = cJSON_IsArray(j) ? cJSON_GetArrayItem(j, atoi(part)) /* NOLINT: the test's own */
                             : cJSON_GetObjectItemCaseSensitive(j, part);
    return j;
}

TEST(json_has_each_at_its_name)
{
    struct snapshot *s = all_different();
    char *text = export_json_text(s, "test", false);
    cJSON *doc = cJSON_Parse(text);
    for (size_t i = 0; i < n; i++) {
        const cJSON *v = follow(doc, places[i].json);
        const cJSON *number = cJSON_IsObject(v) ? cJSON_GetObjectItem(v, "value") : v;
        const cJSON *unit = cJSON_GetObjectItem(v, "unit");
        if (!cJSON_IsNumber(number) || number->valuedouble != places[i].v->v)
            fail_msg("%s is not %g", places[i].json, places[i].v->v);
        if (cJSON_IsString(unit))
            assert_string_equal(unit->valuestring, unit_name((enum unit)places[i].v->unit));
    }
    cJSON_Delete(doc);
    free(text);
    snapshot_unref(s);
}

TEST(csv_has_each_at_its_name)
{
    struct snapshot *s = all_different();
    char *text = NULL, row[256];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    export_csv(f, s);
    fclose(f);
    for (size_t i = 0; i < n; i++) {
        const struct place *p = &places[i];
        snprintf(row, sizeof row, ",%s,%s,%s,%.1f,%s,true,,1\r\n", p->kind, p->name, p->cpu,
                 p->v->v, unit_name((enum unit)p->v->unit));
        const char *at = strstr(text, row);
        if (!at || strstr(at + 1, row))
            fail_msg("not once, but %s: %s", at ? "twice" : "never", row);
    }
    free(text);
    snapshot_unref(s);
}

int main(void)
{
    int rc = tests_run(NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
