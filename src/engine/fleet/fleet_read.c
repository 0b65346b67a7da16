#include "engine/fleet/fleet_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json/json.h"

enum { KEY = 40, DEVICES_MAX = 4096 };

struct fleet_reading {
    struct json j;
    struct fleet_sample *s;
    double cpus, load, running, memory_total, memory_used, swap_total, swap_used;
    double answering; /* GPUs with a number */
    bool known;       /* the schema is that of a snapshot */
};

/* A number, or an object with a member "value" of it; NaN if it was not measured. */
static double read_fleet_number(struct json *j)
{
    char key[KEY];
    double v = NAN;
    const char type = json_type(j);
    if (type == '0')
        return json_double(j, "value");
    if (type != '{') {
        json_skip(j);
        return NAN;
    }
    if (!json_object(j))
        return NAN;
    while (json_key(j, key, sizeof key)) {
        if (strcmp(key, "value") == 0 && json_type(j) == '0')
            v = json_double(j, "value");
        else
            json_skip(j);
    }
    return v;
}

/* "2026-11-30T03:43:46.5Z" in seconds since the epoch; NaN: it is no such text. */
static double read_fleet_time(struct json *j)
{
    char text[48];
    struct tm tm = {.tm_sec = 0};
    if (json_type(j) != '"') {
        json_skip(j);
        return NAN;
    }
    json_copy(j, "time", text, sizeof text);
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!rest)
        return NAN;
    return (double)timegm(&tm) + (*rest == '.' ? strtod(rest, NULL) : 0);
}

/* A member that becomes a metric, or is kept. */
struct fleet_member {
    const char *name;
    enum fleet_metric metric; /* FLEET_METRICS: kept in `at` */
    size_t at;                /* offset in struct fleet_reading */
};

static void keep_fleet_number(struct fleet_reading *r, size_t at)
{
    const double v = read_fleet_number(&r->j);
    memcpy((char *)r + at, &v, sizeof v);
}

/* Reads an object whose members are in the list. */
static void read_fleet_members(struct fleet_reading *r, const struct fleet_member *list)
{
    char key[KEY];
    if (json_type(&r->j) != '{') {
        json_skip(&r->j);
        return;
    }
    json_object(&r->j);
    while (json_key(&r->j, key, sizeof key)) {
        const struct fleet_member *m = list;
        while (m->name && strcmp(m->name, key) != 0)
            m++;
        if (!m->name)
            json_skip(&r->j);
        else if (m->metric < FLEET_METRICS)
            fleet_sample_add(r->s, m->metric, read_fleet_number(&r->j));
        else
            keep_fleet_number(r, m->at);
    }
}

#define KEPT(name, member)                                                                         \
    {                                                                                              \
        name, FLEET_METRICS, offsetof(struct fleet_reading, member)                                \
    }
static const struct fleet_member of_host[] = {KEPT("cpus", cpus), {0}};
static const struct fleet_member of_load[] = {KEPT("1", load), {0}};
static const struct fleet_member of_tasks[] = {KEPT("running", running), {0}};
static const struct fleet_member of_memory[] = {KEPT("total", memory_total),
                                                KEPT("used", memory_used),
                                                KEPT("swap_total", swap_total),
                                                KEPT("swap_used", swap_used),
                                                {0}};
static const struct fleet_member of_pressure[] = {{"cpu", FLEET_pressure_cpu, 0},
                                                  {"memory", FLEET_pressure_memory, 0},
                                                  {"io", FLEET_pressure_io, 0},
                                                  {0}};
static const struct fleet_member of_cpu_total[] = {{"busy", FLEET_cpu, 0},
                                                   {"iowait", FLEET_iowait, 0},
                                                   {"steal", FLEET_steal, 0},
                                                   {"frequency", FLEET_cpu_clock, 0},
                                                   {0}};

/* A network interface or a disk; one whose traffic is that of another is left out. */
static void read_fleet_device(struct fleet_reading *r)
{
    char key[KEY], kind[16] = "";
    bool counted = true;
    double in = NAN, out = NAN;
    if (json_type(&r->j) != '{' || !json_object(&r->j)) {
        json_skip(&r->j);
        return;
    }
    while (json_key(&r->j, key, sizeof key)) {
        if (strcmp(key, "kind") == 0 && json_type(&r->j) == '"')
            json_copy(&r->j, "kind", kind, sizeof kind);
        else if (strcmp(key, "in") == 0)
            in = read_fleet_number(&r->j);
        else if (strcmp(key, "out") == 0)
            out = read_fleet_number(&r->j);
        else if (strcmp(key, "counted") == 0 && json_type(&r->j) == 'f') {
            counted = false;
            json_skip(&r->j);
        } else
            json_skip(&r->j);
    }
    if (!counted)
        return;
    if (strcmp(kind, "network") == 0) {
        fleet_sample_add(r->s, FLEET_net_in, in);
        fleet_sample_add(r->s, FLEET_net_out, out);
    } else if (strcmp(kind, "disk") == 0) {
        fleet_sample_add(r->s, FLEET_disk_read, in);
        fleet_sample_add(r->s, FLEET_disk_write, out);
    }
}

/* The numbers of a GPU that change. */
static void read_fleet_gpu_now(struct fleet_reading *r, double *used)
{
    static const struct {
        const char *name;
        enum fleet_metric metric;
    } members[] = {{"gfx_busy", FLEET_gpu_busy},         {"gfx_hz", FLEET_gpu_clock},
                   {"power", FLEET_gpu_power},           {"throttled", FLEET_gpu_throttled},
                   {"temp_edge", FLEET_gpu_temperature}, {"temp_junction", FLEET_gpu_temperature},
                   {"ecc_uncorrected", FLEET_gpu_errors}};
    char key[KEY];
    bool some = false;
    if (json_type(&r->j) != '{' || !json_object(&r->j)) {
        json_skip(&r->j);
        return;
    }
    while (json_key(&r->j, key, sizeof key)) {
        const double v = read_fleet_number(&r->j);
        some |= isfinite(v);
        if (strcmp(key, "mem_used") == 0)
            *used = v;
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            if (strcmp(key, members[i].name) == 0)
                fleet_sample_add(r->s, members[i].metric, v);
    }
    r->answering += some;
}

static void read_fleet_gpu(struct fleet_reading *r)
{
    char key[KEY];
    double total = NAN, used = NAN;
    if (json_type(&r->j) != '{' || !json_object(&r->j)) {
        json_skip(&r->j);
        return;
    }
    while (json_key(&r->j, key, sizeof key)) {
        if (strcmp(key, "mem_total") == 0)
            total = read_fleet_number(&r->j);
        else if (strcmp(key, "now") == 0)
            read_fleet_gpu_now(r, &used);
        else
            json_skip(&r->j);
    }
    if (total > 0)
        fleet_sample_add(r->s, FLEET_gpu_memory, 100 * used / total);
}

static void read_fleet_list(struct fleet_reading *r, void (*one)(struct fleet_reading *r))
{
    if (json_type(&r->j) != '[') {
        json_skip(&r->j);
        return;
    }
    if (!json_array(&r->j))
        return;
    for (size_t n = 0; json_item(&r->j); n++)
        if (n < DEVICES_MAX)
            one(r);
        else
            json_skip(&r->j);
}

static void read_fleet_gpus(struct fleet_reading *r)
{
    char key[KEY];
    if (json_type(&r->j) != '{' || !json_object(&r->j)) {
        json_skip(&r->j);
        return;
    }
    while (json_key(&r->j, key, sizeof key))
        if (strcmp(key, "devices") == 0)
            read_fleet_list(r, read_fleet_gpu);
        else
            json_skip(&r->j);
}

static void read_fleet_member(struct fleet_reading *r, const char *key)
{
    static const struct {
        const char *name;
        const struct fleet_member *members;
    } parts[] = {{"host", of_host},     {"load", of_load},         {"tasks", of_tasks},
                 {"memory", of_memory}, {"pressure", of_pressure}, {"cpu_total", of_cpu_total}};
    char schema[32];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(key, parts[i].name) == 0) {
            read_fleet_members(r, parts[i].members);
            return;
        }
    if (strcmp(key, "io") == 0) {
        read_fleet_list(r, read_fleet_device);
    } else if (strcmp(key, "gpus") == 0) {
        read_fleet_gpus(r);
    } else if (strcmp(key, "time") == 0) {
        r->s->host_s = read_fleet_time(&r->j);
    } else if (strcmp(key, "interval") == 0) {
        r->s->interval_s = read_fleet_number(&r->j);
    } else if (strcmp(key, "schema") == 0 && json_type(&r->j) == '"') {
        json_copy(&r->j, "schema", schema, sizeof schema);
        r->known = strcmp(schema, "rooftop.snapshot/1") == 0;
    } else {
        json_skip(&r->j);
    }
}

/* What needs several members. */
static void add_fleet_shares(struct fleet_reading *r)
{
    if (r->cpus > 0) {
        fleet_sample_add(r->s, FLEET_load, r->load / r->cpus);
        fleet_sample_add(r->s, FLEET_runnable, r->running / r->cpus);
    }
    if (r->memory_total > 0)
        fleet_sample_add(r->s, FLEET_memory, 100 * r->memory_used / r->memory_total);
    if (r->swap_total > 0)
        fleet_sample_add(r->s, FLEET_swap, 100 * r->swap_used / r->swap_total);
    if (r->answering > 0)
        fleet_sample_add(r->s, FLEET_gpus, r->answering);
}

int fleet_read_snapshot(const char *text, size_t size, const char *from, struct fleet_sample *s,
                        struct error *err)
{
    struct fleet_reading r = {.s = s,
                              .cpus = NAN,
                              .load = NAN,
                              .running = NAN,
                              .memory_total = NAN,
                              .memory_used = NAN,
                              .swap_total = NAN,
                              .swap_used = NAN};
    char key[KEY];
    json_open(&r.j, from, text, size, err);
    if (json_type(&r.j) == '{' && json_object(&r.j))
        while (json_key(&r.j, key, sizeof key))
            read_fleet_member(&r, key);
    json_end(&r.j);
    const int rc = r.j.rc;
    json_close(&r.j);
    if (rc != 0)
        return rc;
    if (!r.known)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, from,
                         "what it prints is no snapshot of rooftop");
    add_fleet_shares(&r);
    return 0;
}
