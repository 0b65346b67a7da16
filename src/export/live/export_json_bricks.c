/* The instrumented programs of a snapshot. Their tree is a document of its own: rooftop report
 * tree, path and bricks write it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bricks/bricks.h"
#include "engine/bricks/program_fields.h"
#include "engine/graph/graph_counters.h"
#include "engine/roofline/roofline_reason.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "export/live/export_json.h"

static cJSON *pass_json(const struct brick_window *w)
{
    if (w->nspans == 0)
        return cJSON_CreateNull();
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "name", w->what);
    json_add_ok(j, "wall", (double)w->wall / 1e9, UNIT_SECONDS);
    json_add_ok(j, "path", (double)w->path / 1e9, UNIT_SECONDS);
    json_add_u64(j, "steps", w->nsteps);
    return j;
}

static void add_peak(cJSON *to, const char *key, double v, enum unit unit)
{
    struct value x = v > 0 ? value_ok(v, unit) : value_missing("its program told none", unit);
    json_add_value(to, key, &x);
}

static void add_spread(cJSON *to, const char *key, double v)
{
    struct value x = isnan(v) ? value_missing("its program told none", UNIT_PERCENT)
                              : value_ok(100 * v, UNIT_PERCENT);
    json_add_value(to, key, &x);
}

static cJSON *roof_json(const struct roof *r)
{
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "name", r->name);
    add_peak(j, "flops", r->flops, UNIT_FLOP_PER_S);
    add_peak(j, "bandwidth", r->bytes, UNIT_BYTES_PER_S);
    json_add_text(j, "from", r->how[0] ? r->how : NULL);
    add_spread(j, "flops_spread", r->flops_spread);
    add_spread(j, "bandwidth_spread", r->bytes_spread);
    return j;
}

static void add_roof_share(cJSON *to, const struct roofline *r, const struct roof_point *p)
{
    struct value reached = isnan(p->distance) ? value_missing(roofline_why_no_roof(r), UNIT_PERCENT)
                                              : value_ok(100 * (1 - p->distance), UNIT_PERCENT);
    static const char *const over[] = {"calls", "spans", "busiest"};
    json_add_value(to, "of_roof", &reached);
    json_add_text(to, "above_roof", roofline_why_above(r, p));
    cJSON_AddStringToObject(to, "over", over[p->over]);
}

/* Adds the counts of all its calls; null if they were not asked for or not counted. */
static void add_brick_counts(cJSON *to, const struct roof_point *p)
{
    cJSON *counts = p->counts ? cJSON_AddObjectToObject(to, "counts") : NULL;
    if (!counts) {
        cJSON_AddNullToObject(to, "counts");
        return;
    }
    for (uint32_t i = 0; i < p->counters->n; i++) {
        const char *name = p->counters->list[i].name; /* comes from another program's file */
        char *clean = text_utf8(name, strlen(name));
        json_add_number(counts, clean, p->counts->value[i]);
        free(clean);
    }
    json_add_u64(to, "counted_calls", p->counts->calls);
    json_add_number(to, "counted_share", graph_counts_share(p->counts));
}

static void add_rate(cJSON *to, const char *key, const struct roof_point *p, double v,
                     enum unit unit)
{
    const char *why = roofline_why_no_intensity(p);
    why = why ? why : "unknown";
    struct value x = isnan(v) ? value_missing(why, unit) : value_ok(v, unit);
    json_add_value(to, key, &x);
}

static cJSON *point_json(const struct roofline *r, const struct roof_point *p,
                         const struct graph *g)
{
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "name", p->name);
    cJSON_AddStringToObject(j, "kind", node_kind_name(g->kind[p->node]));
    if (p->roof == GRAPH_NONE)
        cJSON_AddNullToObject(j, "roof");
    else
        json_add_u64(j, "roof", p->roof);
    json_add_ok(j, "time", (double)p->total / 1e9, UNIT_SECONDS);
    add_rate(j, "flops", p, p->flops, UNIT_FLOP_PER_S);
    add_rate(j, "bandwidth", p, p->bytes, UNIT_BYTES_PER_S);
    add_rate(j, "intensity", p, p->intensity, UNIT_FLOP_PER_BYTE);
    add_roof_share(j, r, p);
    const char *bound = p->memory_bound ? "memory" : "compute";
    json_add_text(j, "bound", p->roof == GRAPH_NONE ? NULL : bound);
    cJSON_AddBoolToObject(j, "declared", p->declared);
    add_brick_counts(j, p);
    return j;
}

cJSON *json_bricks(const struct bricks *b)
{
    if (!b)
        return cJSON_CreateNull();
    cJSON *j = cJSON_CreateObject(), *list;
    record_add_rows(j, "programs", program_record, b->programs, b->nprograms);
    cJSON_AddItemToObject(j, "pass", pass_json(&b->window));
    list = cJSON_AddArrayToObject(j, "roofs");
    for (uint32_t i = 0; i < b->roofline.nroofs; i++)
        cJSON_AddItemToArray(list, roof_json(&b->roofline.roofs[i]));
    list = cJSON_AddArrayToObject(j, "points");
    for (uint32_t i = 0; i < b->roofline.npoints; i++)
        cJSON_AddItemToArray(list, point_json(&b->roofline, &b->roofline.points[i], b->tree));
    return j;
}
