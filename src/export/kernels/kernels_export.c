#include "engine/trace/collective.h"
#include "export/kernels/kernels_export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/print.h"
#include "engine/code/kernel_brief.h"
#include "engine/kernels/kernels_list.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "export/left_out_json.h"

const char *kernels_name(const struct kernel_table *table, const struct kernel_row *r, bool ascii,
                         char out[KERNELS_NAME_BYTES])
{
    return briefs_fit(table->briefs, r->name, KERNELS_NAME_CELLS, ascii, out, KERNELS_NAME_BYTES);
}

/* --- text --- */

static void print_kernel_count(FILE *out, int width, uint32_t v)
{
    if (v == TRACE_UNKNOWN)
        print_text(out, " %*s", width, "-");
    else
        fprintf(out, " %*" PRIu32, width, v);
}

enum { LIMIT = 13 /* "shared memory" */ };

static void put_occupancy(FILE *out, const struct occupancy *o, const struct gpu_words *words)
{
    char limit[32];
    if (isnan(o->waves))
        print_text(out, " %6s %-*s", "-", LIMIT, "");
    else
        print_text(out, " %3.3g/%-2u %-*s", o->waves, o->most, LIMIT,
                   gpu_say(words, occupancy_limit_name(o->limit), limit, sizeof limit));
}

static void print_kernels_row(FILE *out, const struct kernel_table *table,
                              const struct kernel_row *r, bool ascii)
{
    char total[VALUE_TEXT_MAX], mean[VALUE_TEXT_MAX], min[VALUE_TEXT_MAX], max[VALUE_TEXT_MAX];
    char sd[VALUE_TEXT_MAX], slack[VALUE_TEXT_MAX], shape[LAUNCH_TEXT], share[SHARE_PERCENT],
        path[SHARE_PERCENT];
    char label[64], name[KERNELS_NAME_BYTES];
    const struct gpu_words *words = table->words;
    print_text(out, "%10s %5s %5s %9s %8" PRIu64 " %9s %9s %9s %9s",
               value_time(kernel_ns(&r->sum, r->sum.total), ascii, total),
               share_percent(r->share, share), share_percent(r->criticality, path),
               value_time(kernel_slack_least(r), ascii, slack), r->sum.calls,
               value_time(r->mean, ascii, mean),
               value_time(kernel_ns(&r->sum, r->sum.min), ascii, min),
               value_time(kernel_ns(&r->sum, r->sum.max), ascii, max),
               isnan(r->sd) ? "-" : value_time(r->sd, ascii, sd));
    print_kernel_count(out, 4, r->shape.vgprs);
    if (!words || words->scalar) {
        print_kernel_count(out, 4, r->shape.accum_vgprs);
        print_kernel_count(out, 4, r->shape.sgprs);
    }
    print_kernel_count(out, 6, r->shape.lds_bytes);
    print_kernel_count(out, 6, r->shape.scratch_bytes);
    put_occupancy(out, &r->occupancy, r->words);
    print_text(out, "  %-34s %-6s  ",
               gpu_say(r->words, bottleneck_name(r->label.label), label, sizeof label),
               r->label.confidence ? confidence_name(r->label.confidence) : "");
    print_put(out, ascii ? PRINT_ASCII : PRINT_TEXT, kernels_name(table, r, ascii, name));
    kernel_shape_text(&r->shape, shape);
    if (*shape)
        print_text(out, "  [%s%s]", shape, r->shapes > 1 ? ", and others" : "");
    fputc('\n', out);
}

void kernels_export_text(FILE *out, const struct kernel_table *table, const uint32_t *rows,
                         uint32_t n, bool ascii)
{
    bool nvidia = table->words && !table->words->scalar;
    print_text(out, "%10s %5s %5s %9s %8s %9s %9s %9s %9s", "TOTAL", "%", "PATH%", "SLACK", "CALLS",
               "MEAN", "MIN", "MAX", "SD");
    bool amd = table->words && table->words->vendor && !nvidia;
    print_text(out, nvidia ? " %4s" : " %4s %4s %4s", amd ? "VGPR" : "REGS", "AGPR", "SGPR");
    print_text(out, " %6s %6s %6s %-*s  %-34s %-6s  %s\n", amd ? "LDS" : "SHARED",
               nvidia ? "LOCAL" : "SCRTCH", nvidia ? "WARPS" : "WAVES", LIMIT, "LIMIT", "BOUND BY",
               "CONF.", "NAME");
    for (uint32_t i = 0; i < n; i++)
        print_kernels_row(out, table, &table->rows[rows[i]], ascii);
    if (table->n == 0)
        fputs("no kernels and no copies are in it\n", out);
    else if (n < table->n)
        fprintf(out, "%" PRIu32 " of %" PRIu32 " rows pass the filter\n", n, table->n);
}

/* --- CSV --- */

void kernels_export_csv(FILE *out, const struct kernel_table *table, const uint32_t *rows,
                        uint32_t n)
{
    const struct list_field *columns[FIELDS_MAX];
    int ncolumns = list_fields(kernels_fields, FIELD_CSV, columns);
    list_fields_csv_head(out, columns, ncolumns);
    fputs("\r\n", out);
    for (uint32_t i = 0; i < n; i++) {
        list_fields_csv_row(out, columns, ncolumns, &table->rows[rows[i]]);
        fputs("\r\n", out);
    }
}

/* --- JSON --- */

cJSON *kernels_json_label(const struct bottleneck *b, const struct facts *f)
{
    if (b->label == LABEL_NONE)
        return cJSON_CreateNull();
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "label", bottleneck_id(b->label));
    cJSON_AddStringToObject(j, "confidence", confidence_name(b->confidence));
    cJSON *list = cJSON_AddArrayToObject(j, "evidence");
    for (int i = 0; i < b->rule->nterms; i++) {
        const struct bottleneck_term *t = &b->rule->terms[i];
        cJSON *e = cJSON_CreateObject();
        cJSON_AddStringToObject(e, "fact", fact_id(t->fact));
        json_add_number(e, "value", f->v[t->fact]);
        cJSON_AddNumberToObject(e, t->below ? "at_most" : "at_least", t->limit);
        cJSON_AddItemToArray(list, e);
    }
    cJSON_AddStringToObject(j, "source", b->rule->source);
    list = cJSON_AddArrayToObject(j, "also");
    for (int l = 0; l < LABELS; l++)
        if (b->also >> l & 1)
            cJSON_AddItemToArray(list, cJSON_CreateString(bottleneck_id((enum bottleneck_label)l)));
    return j;
}

static void json_shape(cJSON *j, const struct kernel_row *r)
{
    json_add_three(j, "grid", r->shape.grid[0] ? r->shape.grid : NULL);
    json_add_three(j, "block", r->shape.block[0] ? r->shape.block : NULL);
    list_fields_json(j, kernels_fields, r, 20, 29);
    json_add_text(j, "arch", *r->arch ? r->arch : NULL);
    json_add_text(j, "vendor", r->words->vendor);
    if (isnan(r->occupancy.waves)) {
        cJSON_AddNullToObject(j, "occupancy");
        return;
    }
    cJSON *o = cJSON_AddObjectToObject(j, "occupancy");
    cJSON_AddNumberToObject(o, "waves_per_simd", r->occupancy.waves);
    cJSON_AddNumberToObject(o, "slots", r->occupancy.most);
    char limit[32];
    json_add_text(o, "limit",
                  r->occupancy.limit ? gpu_say(r->words, occupancy_limit_name(r->occupancy.limit),
                                               limit, sizeof limit)
                                     : NULL);
    cJSON_AddBoolToObject(o, "complete", r->occupancy.complete);
    json_add_text(o, "source", r->occupancy.arch->source);
}

static cJSON *json_facts(const struct facts *f)
{
    cJSON *j = cJSON_CreateObject();
    for (int i = 0; i < FACTS; i++)
        if (!isnan(f->v[i]))
            json_add_number(j, fact_id((enum fact)i), f->v[i]);
    return j;
}

static void json_communication(cJSON *j, const struct kernel_row *r)
{
    const struct kernel_sum *s = &r->sum;
    bool ranks = s->messages && s->ranks != TRACE_UNKNOWN;
    cJSON *c = cJSON_AddObjectToObject(j, "communication");
    cJSON_AddStringToObject(c, "operation", kernel_operation(r));
    json_add_number(c, "ranks", ranks ? s->ranks : NAN);
    json_add_number(c, "message_bytes", s->messages ? (double)s->bytes : NAN);
    json_add_number(c, "bus_bytes_per_s", kernel_bus_bandwidth(r));
    json_add_u64(c, "exposed_ns", s->exposed);
}

cJSON *kernels_json_row(const struct kernel_row *r)
{
    cJSON *j = cJSON_CreateObject();
    list_fields_json(j, kernels_fields, r, 1, 19);
    if (r->collective)
        json_communication(j, r);
    if (r->kind == NODE_KERNEL)
        json_shape(j, r);
    else
        json_add_number(j, "bytes", r->sum.bytes ? (double)r->sum.bytes : NAN);
    json_add_number(j, "dispatches_with_counters", r->counts.dispatches);
    cJSON_AddBoolToObject(j, "traced", r->traced);
    cJSON_AddItemToObject(j, "bottleneck", kernels_json_label(&r->label, &r->facts));
    cJSON_AddItemToObject(j, "facts", json_facts(&r->facts));
    return j;
}

void kernels_export_json(FILE *out, const struct trace *t, const struct kernels *k,
                         enum kernels_group group, const uint32_t *rows, uint32_t n)
{
    cJSON *doc = document_begin("rooftop.kernels/1");
    cJSON_AddStringToObject(doc, "group", kernels_group_name(group));
    left_out_json_add(doc, t);
    json_add_u64(doc, "kernel_ns", k->total.kernels);
    json_add_u64(doc, "copy_ns", k->total.copies);
    json_add_u64(doc, "path_ns", k->total.path);
    json_add_u64(doc, "critical_path_ns", k->total.path);
    cJSON *list = cJSON_AddArrayToObject(doc, "rows");
    for (uint32_t i = 0; i < n; i++)
        cJSON_AddItemToArray(list, kernels_json_row(&k->by[group].rows[rows[i]]));
    document_end(out, doc);
}
