#include "export/kernels/kernels_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/plural.h"
#include "base/print.h"
#include "engine/job/straggler_words.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/kernels_lacking.h"
#include "engine/trace/trace_align.h"
#include "engine/trace/trace_window.h"
#include "engine/value/document.h"
#include "export/kernels/device_use_export.h"
#include "export/kernels/kernels_export.h"
#include "export/left_out_json.h"
#include "export/path/path_export.h"

enum { TOP = 10 };

static double percent_of_wall(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* --- text --- */

static void print_clean(FILE *out, const char *text, bool ascii)
{
    print_put(out, ascii ? PRINT_ASCII : PRINT_TEXT, text);
}

static void print_report_share(FILE *out, const char *label, uint64_t ns, uint64_t of, bool ascii)
{
    char text[VALUE_TEXT_MAX];
    print_text(out, "  %-26s %10s  %5.1f %%\n", label, value_time((double)ns, ascii, text),
               percent_of_wall(ns, of));
}

static void print_devices(FILE *out, const struct trace *t, bool ascii)
{
    const char *before = "on ";
    for (uint32_t i = 0; i < t->nagents; i++) {
        const struct trace_agent *a = &t->agents[i];
        if (!a->gpu)
            continue;
        const uint32_t name = a->model != GRAPH_NONE ? a->model : a->name;
        print_text(out, "%s", before);
        print_clean(out, name != GRAPH_NONE ? graph_text(t->calls, name) : "a device", ascii);
        if (a->model != GRAPH_NONE && a->name != GRAPH_NONE) {
            fputs(" (", out);
            print_clean(out, graph_text(t->calls, a->name), ascii);
            fputc(')', out);
        }
        before = ", ";
    }
    if (*before == ',')
        fputc('\n', out);
}

static void print_label(FILE *out, const struct bottleneck *b, const struct facts *f,
                        const struct gpu_words *words, const char *margin, bool ascii)
{
    char text[BOTTLENECK_TERMS][BOTTLENECK_TEXT], said[2 * BOTTLENECK_TEXT];
    print_text(out, "%s%s", margin, gpu_say(words, bottleneck_name(b->label), said, sizeof said));
    if (b->confidence)
        print_text(out, ", %s", bottleneck_sure(b));
    fputc('\n', out);
    for (size_t i = 0, n = bottleneck_evidence(b, f, ascii, text); i < n; i++)
        print_text(out, "%s  %s\n", margin, gpu_say(words, text[i], said, sizeof said));
    const char *before = "  also: ";
    for (int l = 0; l < LABELS; l++)
        if (b->also >> l & 1) {
            print_text(
                out, "%s%s%s", *before == ' ' ? margin : "", before,
                gpu_say(words, bottleneck_name((enum bottleneck_label)l), said, sizeof said));
            before = ", ";
        }
    if (*before == ',')
        fputc('\n', out);
    if (*bottleneck_advice(b->label))
        print_text(out, "%s  to look at: %s\n", margin,
                   gpu_say(words, bottleneck_advice(b->label), said, sizeof said));
}

/* Parts of the critical path, in the order of the report. */
static const struct {
    enum path_part part;
    const char *label, *key;
    bool host;   /* known only if the profile has calls of the host */
    bool always; /* written even if the part is 0 */
} parts[PATH_PARTS] = {
    {PATH_COMPUTE, "kernels", "kernels_ns", false, true},
    {PATH_COPY, "copies", "copies_ns", false, true},
    {PATH_COMMUNICATION, "communication", "communication_ns", false, false},
    {PATH_LATENCY, "launch latency", "launch_ns", true, true},
    {PATH_HOST, "host", "host_ns", true, true},
    {PATH_UNKNOWN, "host, nothing recorded", "unrecorded_ns", true, false},
    {PATH_WAIT, "waiting", "wait_ns", true, false},
};

static void print_report_times(FILE *out, const struct kernels_total *t, bool window, bool ascii)
{
    uint64_t wall = t->wall;
    print_text(out, "\nWhere the time %s\n", t->device ? "of the devices went" : "went");
    print_report_share(out, window ? "looked at" : "first start to last end", wall, wall, ascii);
    print_report_share(out, "kernels running", t->busy - t->copying, wall, ascii);
    print_report_share(out, "nothing but copies", t->copying, wall, ascii);
    if (t->outside)
        print_report_share(out, "only work from outside", t->outside, wall, ascii);
    print_report_share(out, "idle", kernels_idle(t), wall, ascii);
    if (t->path == 0)
        return;
    fputs("\nCritical path\n", out);
    print_report_share(out, "length", t->path, t->path, ascii);
    for (size_t i = 0; i < PATH_PARTS; i++)
        if (t->on_path[parts[i].part] || (t->host && parts[i].always))
            print_report_share(out, parts[i].label, t->on_path[parts[i].part], t->path, ascii);
    if (t->path_beside)
        print_report_share(out, "  host beside busy devices", t->path_beside, t->path, ascii);
    if (t->path_outside)
        print_report_share(out, "only work from outside", t->path_outside, t->path, ascii);
}

static void print_ranks_verdict(FILE *out, const struct trace *t, bool ascii)
{
    struct job j = {.n = 0};
    char lines[JOB_VERDICT_LINES][JOB_LINE];
    const int n = job_of_profile(&j, t) ? job_say_verdict(&j, lines, ascii) : 0;
    if (n)
        fputs("\nRanks\n", out);
    for (int i = 0; i < n; i++)
        print_text(out, "  %s%s\n", i ? "  " : "", lines[i]);
    job_free(&j);
}

static void print_communication(FILE *out, const struct kernel_row *r, bool ascii)
{
    char text[KERNEL_COMMUNICATION_TEXT];
    print_text(out, "    %s\n", kernel_communication_text(r, ascii, text, sizeof text));
}

static void print_ranked_kernel(FILE *out, uint32_t rank, const struct kernel_table *table,
                                bool ascii)
{
    const struct kernel_row *r = &table->rows[rank - 1];
    char name[KERNELS_NAME_BYTES];
    char total[VALUE_TEXT_MAX], mean[VALUE_TEXT_MAX], sd[VALUE_TEXT_MAX], shape[LAUNCH_TEXT] = "";
    char share[SHARE_PERCENT], path[SHARE_PERCENT], fit[128];
    fprintf(out, "\n%2u. ", rank);
    print_clean(out, kernels_name(table, r, ascii, name), ascii);
    print_text(out, "\n    %s %% of device time, %s %% of the path: %s in %" PRIu64 " call%s",
               share_percent(r->share, share), share_percent(r->criticality, path),
               value_time(kernel_ns(&r->sum, r->sum.total), ascii, total), r->sum.calls,
               r->sum.calls == 1 ? "" : "s");
    if (r->sum.timed > 1)
        print_text(out, ", %s each", value_time(r->mean, ascii, mean));
    if (!isnan(r->sd))
        print_text(out, ", sd %s", value_time(r->sd, ascii, sd));
    fputc('\n', out);
    if (r->collective) {
        print_communication(out, r, ascii);
    } else if (*kernel_shape_text(&r->shape, shape))
        print_text(out, "    %s%s", shape, r->shapes > 1 ? " and other shapes" : "");
    if (*shape && *kernel_fit_text(r, fit, sizeof fit))
        print_text(out, "; %s", fit);
    if (*shape)
        fputc('\n', out);
    if (r->label.rule)
        print_label(out, &r->label, &r->facts, r->words, "    ", ascii);
}

static void print_counters(FILE *out, const struct kernels_total *t)
{
    if (t->counted)
        fprintf(out,
                "\nCounters: %" PRIu32 " different ones; %" PRIu64 " of %" PRIu64
                " dispatches have some\n",
                t->counters, t->counted, t->nkernels);
}

void kernels_report_text(FILE *out, const struct trace *t, const struct kernels *k,
                         const char *const *paths, size_t npaths, bool ascii)
{
    struct kernels_lacking lacking;
    const struct kernel_table *rows = &k->by[KERNELS_BY_NAME];
    struct device_uses uses;
    char part[200];
    device_uses_find(&uses, t);
    for (size_t i = 0; i < npaths; i++) {
        print_clean(out, paths[i], ascii);
        fputc('\n', out);
    }
    if (t->window)
        print_text(out, "only %s\n", trace_window_text(t, part, sizeof part));
    print_text(out, "%" PRIu64 " %s of kernels, %" PRIu64 " %s\n", k->total.nkernels,
               plural(k->total.nkernels, "dispatch", "dispatches"), k->total.ncopies,
               plural(k->total.ncopies, "copy", "copies"));
    print_devices(out, t, ascii);
    if (uses.nranks > 1)
        print_ranks_verdict(out, t, ascii);
    if (k->total.wall)
        print_report_times(out, &k->total, t->window != NULL, ascii);
    device_uses_text(out, &uses, ascii);
    device_uses_free(&uses);
    if (t->nfiles > 1)
        fputc('\n', out);
    path_export_clocks(out, t, ascii); /* writes an empty line at its end */
    if (k->total.label.rule) {
        fputs(t->nfiles > 1 ? "As a whole\n" : "\nAs a whole\n", out);
        print_label(out, &k->total.label, &k->total.facts, rows->words, "  ", ascii);
    }
    if (rows->n)
        fprintf(out, "\nMost of the time\n");
    for (uint32_t i = 0; i < rows->n && i < TOP; i++)
        print_ranked_kernel(out, i + 1, rows, ascii);
    if (rows->n > TOP)
        fprintf(out, "\n    ... and %" PRIu32 " more: rooftop report kernels\n", rows->n - TOP);
    print_counters(out, &k->total);
    kernels_lacking(&lacking, t, k);
    for (size_t i = 0; i < lacking.n; i++)
        print_text(out, i == 0 ? "\nNot in the profile\n  %s\n" : "  %s\n", lacking.text[i]);
}

/* --- JSON --- */

static cJSON *json_devices(const struct trace *t)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < t->nagents; i++) {
        const struct trace_agent *a = &t->agents[i];
        if (!a->gpu)
            continue;
        cJSON *j = cJSON_CreateObject();
        cJSON_AddNumberToObject(j, "number", a->number);
        json_add_text(j, "arch", a->name == GRAPH_NONE ? NULL : graph_text(t->calls, a->name));
        json_add_text(j, "model", a->model == GRAPH_NONE ? NULL : graph_text(t->calls, a->model));
        json_add_text(j, "host", a->host == GRAPH_NONE ? NULL : graph_text(t->calls, a->host));
        json_add_number(j, "units", a->units == TRACE_UNKNOWN ? NAN : a->units);
        cJSON_AddItemToArray(list, j);
    }
    return list;
}

static void json_clocks(cJSON *doc, const struct trace *t)
{
    cJSON *list = cJSON_AddArrayToObject(doc, "clocks");
    for (uint32_t i = 0; i < t->nfiles; i++) {
        const struct trace_file *f = &t->files[i];
        cJSON *j = cJSON_CreateObject();
        json_add_text(j, "path", f->path);
        json_add_number(j, "rank", f->clock.rank == GRAPH_NONE ? NAN : f->clock.rank);
        json_add_text(j, "aligned_by", trace_how_name((enum trace_how)f->how));
        json_add_number(j, "offset_ns", (double)f->offset_ns);
        json_add_number(j, "uncertainty_ns",
                        f->uncertainty_ns == GRAPH_UNKNOWN ? NAN : (double)f->uncertainty_ns);
        cJSON_AddItemToArray(list, j);
    }
}

/* Adds the part of the profile that the report covers; null = all of it. */
static void json_window(cJSON *doc, const struct trace *t)
{
    char text[200];
    if (!t->window) {
        cJSON_AddNullToObject(doc, "part");
        return;
    }
    cJSON *j = cJSON_AddObjectToObject(doc, "part");
    json_add_text(j, "of", trace_window_text(t, text, sizeof text));
    cJSON_AddNumberToObject(j, "ranges", t->window->list[0].node == GRAPH_NONE ? 0 : t->window->n);
}

static void json_times(cJSON *doc, const struct kernels_total *t)
{
    json_add_u64(doc, "dispatches", t->nkernels);
    json_add_u64(doc, "copies", t->ncopies);
    json_add_u64(doc, "wall_ns", t->wall);
    json_add_u64(doc, "kernels_running_ns", t->busy - t->copying);
    json_add_u64(doc, "only_copies_ns", t->copying);
    json_add_u64(doc, "outside_ns", t->outside);
    json_add_u64(doc, "idle_ns", kernels_idle(t));
    cJSON *path = cJSON_AddObjectToObject(doc, "path");
    json_add_u64(path, "length_ns", t->path);
    json_add_u64(path, "critical_path_ns", t->path);
    for (size_t i = 0; i < PATH_PARTS; i++)
        json_add_number(path, parts[i].key,
                        parts[i].host && !t->host ? NAN : (double)t->on_path[parts[i].part]);
    json_add_u64(path, "outside_ns", t->path_outside);
    json_add_number(path, "host_beside_devices_ns", t->host ? (double)t->path_beside : NAN);
}

void kernels_report_json(FILE *out, const struct trace *t, const struct kernels *k,
                         const char *const *paths, size_t npaths)
{
    struct kernels_lacking lacking;
    struct device_uses uses;
    cJSON *doc = document_begin("rooftop.report/1");
    const struct kernel_table *rows = &k->by[KERNELS_BY_NAME];
    cJSON *list = cJSON_AddArrayToObject(doc, "files");
    for (size_t i = 0; i < npaths; i++) {
        cJSON_AddItemToArray(list, cJSON_CreateString(paths[i]));
    }
    cJSON_AddItemToObject(doc, "devices", json_devices(t));
    json_times(doc, &k->total);
    device_uses_find(&uses, t);
    device_uses_json(doc, &uses, t);
    json_clocks(doc, t);
    json_window(doc, t);
    device_uses_free(&uses);
    cJSON_AddItemToObject(doc, "bottleneck", kernels_json_label(&k->total.label, &k->total.facts));
    list = cJSON_AddArrayToObject(doc, "kernels");
    for (uint32_t i = 0; i < rows->n && i < TOP; i++)
        cJSON_AddItemToArray(list, kernels_json_row(&rows->rows[i]));
    cJSON_AddNumberToObject(doc, "kernels_more", rows->n > TOP ? rows->n - TOP : 0);
    cJSON *counters = cJSON_AddObjectToObject(doc, "counters");
    cJSON_AddNumberToObject(counters, "different", k->total.counters);
    json_add_u64(counters, "dispatches", k->total.counted);
    left_out_json_add(doc, t);
    kernels_lacking(&lacking, t, k);
    list = cJSON_AddArrayToObject(doc, "missing");
    for (size_t i = 0; i < lacking.n; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(lacking.text[i]));
    document_end(out, doc);
}

/* --- CSV, SVG --- */

static void write_report_csv_row(FILE *out, const char *before, const char *what, double value)
{
    print_csv(out, "%s%s", before, what);
    csv_write_number(out, value);
    fputc('\n', out);
}

void kernels_report_csv(FILE *out, const struct trace *trace, const struct kernels *k)
{
    struct device_uses uses;
    const struct kernels_total *t = &k->total;
    const struct {
        const char *what;
        uint64_t value;
    } rows[] = {
        {"dispatches", t->nkernels},
        {"copies", t->ncopies},
        {"wall_ns", t->wall},
        {"kernels_running_ns", t->busy - t->copying},
        {"only_copies_ns", t->copying},
        {"outside_ns", t->outside},
        {"idle_ns", kernels_idle(t)},
        {"path_ns", t->path},
        {"path_outside_ns", t->path_outside},
        {"path_host_beside_devices_ns", t->path_beside},
        {"counters", t->counters},
        {"dispatches_counted", t->counted},
    };
    fputs("what,value\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        write_report_csv_row(out, "", rows[i].what, (double)rows[i].value);
    for (size_t i = 0; i < PATH_PARTS; i++)
        write_report_csv_row(out, "path_", parts[i].key,
                             parts[i].host && !t->host ? NAN : (double)t->on_path[parts[i].part]);
    device_uses_find(&uses, trace);
    device_uses_csv(out, &uses);
    device_uses_free(&uses);
    print_csv(out, "bottleneck,%s\nconfidence,%s\n",
              t->label.rule ? bottleneck_id(t->label.label) : "",
              t->label.rule ? confidence_name(t->label.confidence) : "");
}

void kernels_report_svg(FILE *out, const struct kernels *k)
{
    uint32_t rows[TOP], n = 0;
    const struct kernel_table *all = &k->by[KERNELS_BY_NAME];
    for (; n < TOP && n < all->n; n++)
        rows[n] = n;
    kernels_export_svg(out, k, all, rows, n);
}
