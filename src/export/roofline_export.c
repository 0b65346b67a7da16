#include "export/roofline_export.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "engine/code/kernel_brief.h"
#include "engine/graph/graph_counters.h"
#include "engine/roofline/roofline_fields.h"
#include "engine/roofline/roofline_reason.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "export/left_out_json.h"

enum { MISSING_TOLD = 6, BACKEND_LEAST = 7, BACKEND_MOST = 20, NAME_CELLS = 96 };

void roofline_each(const struct roofline_doc *d,
                   void (*visit)(void *ctx, const struct roof_point *p, uint64_t id), void *ctx)
{
    for (uint32_t i = 0; i < d->r->npoints; i++) {
        const struct roof_point *p = &d->r->points[i];
        if (!d->dispatches || !p->work) {
            visit(ctx, p, GRAPH_UNKNOWN);
            continue;
        }
        struct roof_point one;
        struct roof_work w;
        for (uint32_t k = 0; roofline_gpu_dispatch(&one, &w, d->r, d->t, p, k); k++)
            visit(ctx, &one, trace_dispatch_at(d->t, w.dispatch).id);
    }
}

/* --- text --- */

static void print_roof_spread(FILE *out, double spread)
{
    if (spread > 0)
        fprintf(out, " (measurements lay %.1f %% apart)", 100 * spread);
}

static void print_roof(FILE *out, const struct roof *r, bool ascii)
{
    char a[VALUE_TEXT_MAX];
    print_text(out, "%s%s%s%s\n", r->name, *r->how ? " (" : "", r->how, *r->how ? ")" : "");
    if (!r->nceilings) {
        print_text(out, "  %s",
                   r->flops > 0 ? value_text(r->flops, UNIT_FLOP_PER_S, ascii, a) : "n/a");
        print_roof_spread(out, r->flops_spread);
        print_text(out, ", %s",
                   r->bytes > 0 ? value_text(r->bytes, UNIT_BYTES_PER_S, ascii, a) : "n/a");
        print_roof_spread(out, r->bytes_spread);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < r->nceilings; i++) {
        const struct ceiling *c = &r->ceilings[i];
        print_text(out, "  %-18s %14s", c->name,
                   value_text(c->peak, c->memory ? UNIT_BYTES_PER_S : UNIT_FLOP_PER_S, ascii, a));
        print_roof_spread(out, c->spread);
        fputc('\n', out);
    }
}

struct roofline_text {
    FILE *out;
    const struct roofline_doc *d;
    uint64_t total;
    int backend; /* width of the column of backends' names */
};

static void print_missing(FILE *out, const struct roof_work *w)
{
    uint32_t n = w->nnamed < MISSING_TOLD ? w->nnamed : MISSING_TOLD;
    print_text(out, "    incomplete: %u counter%s missing", w->nmissing,
               w->nmissing == 1 ? "" : "s");
    for (uint32_t i = 0; i < n; i++)
        print_text(out, "%s%s", i ? ", " : " (", w->missing[i]);
    if (n > 0)
        fputs(n < w->nmissing ? ", ...)" : ")", out);
    fputc('\n', out);
}

static void print_why(FILE *out, const struct roofline *r, const struct roof_point *p)
{
    const char *why = roofline_why_above(r, p);
    char of[VALUE_TEXT_MAX], elapsed[VALUE_TEXT_MAX];
    if (p->over == OVER_SPANS)
        print_text(out,
                   "    several threads: rates of the last %s of calls, in the %s in which any of "
                   "them ran\n",
                   value_time((double)p->of_total, true, of),
                   value_time((double)p->elapsed, true, elapsed));
    else if (p->over == OVER_BUSIEST)
        print_text(out, "    several threads: rates over the time of the busiest, the least it "
                        "can have been\n");
    if (why)
        print_text(out, "    above its roof. Likely: %s\n", why);
}

/* Prints the counts of all calls of a program's brick. */
static void print_counted(FILE *out, const struct roofline_item *item, bool ascii)
{
    const struct roof_point *p = item->p;
    const double ipc = graph_rate(p->counters, p->counts, GRAPH_IPC),
                 miss = graph_rate(p->counters, p->counts, GRAPH_MISSES),
                 mispredict = graph_rate(p->counters, p->counts, GRAPH_MISPREDICTS),
                 flops = list_field_raw(&roofline_fields[ROOFLINE_FIELD_counted_flops], item),
                 bytes = list_field_raw(&roofline_fields[ROOFLINE_FIELD_counted_bytes], item);
    const char *before = "    counted: ";
    char number[VALUE_TEXT_MAX];
    if (!isnan(ipc)) {
        print_text(out, "%sIPC %.2f", before, ipc);
        before = ", ";
    }
    if (!isnan(miss)) {
        print_text(out, "%s%.1f %% missed", before, miss);
        before = ", ";
    }
    if (!isnan(mispredict)) {
        print_text(out, "%s%.2f %% mispredicted", before, mispredict);
        before = ", ";
    }
    if (!isnan(flops)) {
        print_text(out, "%s%s", before, value_text(flops, UNIT_FLOP_PER_S, ascii, number));
        before = ", ";
    }
    if (!isnan(bytes)) {
        print_text(out, "%s%s", before, value_text(bytes, UNIT_BYTES_PER_S, ascii, number));
        before = ", ";
    }
    if (before[0] == ',')
        fputc('\n', out);
}

static void print_roofline_row(void *ctx, const struct roof_point *p, uint64_t id)
{
    const struct roofline_text *t = ctx;
    bool ascii = t->d->ascii;
    char name[512];
    char flops[VALUE_TEXT_MAX], bytes[VALUE_TEXT_MAX], intensity[32] = "n/a", reached[24],
                                                       share[16] = "n/a";
    if (!isnan(p->intensity))
        snprintf(intensity, sizeof intensity, "%.3g", p->intensity);
    roofline_reached(p, 1, reached);
    if (t->total)
        snprintf(share, sizeof share, "%.1f", 100.0 * (double)p->total / (double)t->total);
    print_text(t->out, "%6s %14s %13s %9s %9s  %-18s %-*.*s ", share,
               value_text(p->flops, UNIT_FLOP_PER_S, ascii, flops),
               value_text(p->bytes, UNIT_BYTES_PER_S, ascii, bytes), intensity, reached,
               roofline_bound_name(t->d->r, p), t->backend, t->backend,
               p->roof == GRAPH_NONE ? "no peaks" : t->d->r->roofs[p->roof].name);
    print_put(t->out, PRINT_TEXT,
              p->work ? briefs_fit(t->d->t->briefs, p->name, NAME_CELLS, ascii, name, sizeof name)
                      : p->name);
    if (id != GRAPH_UNKNOWN)
        fprintf(t->out, " #%" PRIu64, id);
    else if (p->work && p->work->counted < p->work->dispatches)
        fprintf(t->out, "  (%u of %u dispatches have counters)", p->work->counted,
                p->work->dispatches);
    fputc('\n', t->out);
    if (p->work && p->work->nmissing && id == GRAPH_UNKNOWN)
        print_missing(t->out, p->work);
    print_why(t->out, t->d->r, p);
    const struct roofline_item item = {.p = p, .r = t->d->r};
    print_counted(t->out, &item, ascii);
    char why[400];
    if (roofline_why_no_intensity(p))
        print_text(t->out, "    %s\n", roofline_why_no_intensity(p));
    if (p->work && id == GRAPH_UNKNOWN &&
        *roofline_why_unknown(t->d->r, t->d->t, p, why, sizeof why))
        print_text(t->out, "    n/a: %s\n", why);
}

static int measure_backend_width(const struct roofline *r)
{
    int most = BACKEND_LEAST;
    for (uint32_t i = 0; i < r->npoints; i++) {
        uint32_t roof = r->points[i].roof;
        int w = (int)strnlen(roof == GRAPH_NONE ? "no peaks" : r->roofs[roof].name, BACKEND_MOST);
        most = w > most ? w : most;
    }
    return most;
}

void roofline_export_text(FILE *out, const struct roofline_doc *d)
{
    const struct roofline *r = d->r;
    struct roofline_text t = {.out = out,
                              .d = d,
                              .total = roofline_whole(r, d->t->sums),
                              .backend = measure_backend_width(r)};
    bool incomplete = false;
    for (uint32_t i = 0; i < r->nroofs; i++)
        print_roof(out, &r->roofs[i], d->ascii);
    for (uint32_t i = 0; i < r->npoints; i++)
        incomplete |= roofline_incomplete(&r->points[i]);
    if (r->npoints == 0) {
        char why[200];
        print_text(out, "%s\n", roofline_why_empty(d->t, why, sizeof why));
        return;
    }
    print_text(out, "\n%6s %14s %13s %9s %9s  %-18s %-*s %s\n", "TIME %", "FLOP/S", "MEMORY",
               "FLOP/B", "OF ROOF", "BOUND", t.backend, "BACKEND", "NAME");
    roofline_each(d, print_roofline_row, &t);
    if (r->unmeasured)
        print_text(out, "\nno peaks: %s\n", r->unmeasured);
    if (incomplete)
        fputs("\n?  counters are missing: another ceiling may bind more\n", out);
    if (r->uncounted)
        print_text(out, "\n%u kernel%s without counters\n", r->uncounted,
                   r->uncounted == 1 ? " is" : "s are");
}

/* --- the short answer --- */

static const char *name_roof_point(const struct roofline_doc *d, const struct roof_point *p,
                                   char *out, size_t size)
{
    return p->work ? briefs_fit(d->t->briefs, p->name, 60, d->ascii, out, size) : p->name;
}

static void brief_roof_point(struct brief *b, const struct roofline_doc *d,
                             const struct roof_point *p, double total)
{
    char name[512], flops[VALUE_TEXT_MAX], bytes[VALUE_TEXT_MAX], share[24],
        reached[48] = "no roof is known";
    if (!isnan(p->distance))
        snprintf(reached, sizeof reached, "%s of its roof", roofline_reached(p, 1, share));
    brief_row(b, name_roof_point(d, p, name, sizeof name), "%.1f %% of the time; %s, %s; %s: %s",
              total > 0 ? 100 * (double)p->total / total : 0.0,
              value_text(p->flops, UNIT_FLOP_PER_S, d->ascii, flops),
              value_text(p->bytes, UNIT_BYTES_PER_S, d->ascii, bytes), reached,
              roofline_bound_name(d->r, p));
}

void roofline_brief(struct brief *b, const struct roofline_doc *d)
{
    const struct roofline *r = d->r;
    const double total = (double)roofline_whole(r, d->t->sums);
    const struct roof_point *p = r->points;
    char text[512];
    if (r->npoints == 0)
        brief_verdict(b, "%s", roofline_why_empty(d->t, text, sizeof text));
    else if (isnan(p->distance))
        brief_verdict(b, "%s takes the most time; how near its roof it is, is not known",
                      name_roof_point(d, p, text, sizeof text));
    else
        brief_verdict(b, "%s takes the most time, and reaches %.1f %% of its roof: %s",
                      name_roof_point(d, p, text, sizeof text), 100 * (1 - p->distance),
                      roofline_bound_name(r, p));
    if (r->unmeasured)
        brief_evidence(b, "no peaks: %s", r->unmeasured);
    bool incomplete = false;
    for (uint32_t i = 0; i < r->npoints; i++)
        incomplete |= roofline_incomplete(&r->points[i]);
    if (incomplete)
        brief_evidence(b, "?: counters are missing, another ceiling may bind more");
    if (r->uncounted)
        brief_evidence(b, "%u kernel%s without counters", r->uncounted,
                       r->uncounted == 1 ? " is" : "s are");
    for (uint32_t i = 0; i < r->npoints; i++)
        brief_roof_point(b, d, &r->points[i], total);
}

static struct roofline_item make_roofline_item(const struct roofline_doc *d,
                                               const struct roof_point *p, uint64_t id)
{
    return (struct roofline_item){d->r, d->t->sums, p, 0, id};
}

/* --- CSV --- */

static void write_roofline_csv_row(void *ctx, const struct roof_point *p, uint64_t id)
{
    const struct roofline_text *t = ctx;
    const struct list_field *columns[FIELDS_MAX];
    const struct roof_work *w = p->work;
    const struct roofline_item item = make_roofline_item(t->d, p, id);
    list_fields_csv_row(t->out, columns, list_fields(roofline_fields, FIELD_CSV, columns), &item);
    for (int i = 0; i < WORK_UNITS * WORK_TYPES; i++)
        csv_write_number(t->out, w ? w->ops[i / WORK_TYPES][i % WORK_TYPES] : NAN);
    for (int l = 0; l < WORK_LEVELS; l++)
        csv_write_number(t->out, w ? w->bytes[l] : NAN);
    for (int l = 0; l < WORK_LEVELS; l++)
        csv_write_number(t->out, w ? w->intensity[l] : NAN);
    fputs("\r\n", t->out);
}

void roofline_export_csv(FILE *out, const struct roofline_doc *d)
{
    const struct list_field *columns[FIELDS_MAX];
    struct roofline_text t = {.out = out, .d = d};
    list_fields_csv_head(out, columns, list_fields(roofline_fields, FIELD_CSV, columns));
    for (int i = 0; i < WORK_UNITS * WORK_TYPES; i++)
        print_csv(out, ",%s_%s_ops", work_unit_name((enum work_unit)(i / WORK_TYPES)),
                  work_type_name((enum work_type)(i % WORK_TYPES)));
    for (int l = 0; l < WORK_LEVELS; l++)
        print_csv(out, ",%s_bytes", work_level_name((enum work_level)l));
    for (int l = 0; l < WORK_LEVELS; l++)
        print_csv(out, ",%s_flop_per_byte", work_level_name((enum work_level)l));
    fputs("\r\n", out);
    roofline_each(d, write_roofline_csv_row, &t);
}

/* --- JSON --- */

static void json_real(FILE *out, const char *key, double v)
{
    char text[32];
    print_json(out, ",\"%s\":%s", key, isnan(v) ? "null" : number_text(v, text));
}

static void json_work(FILE *out, const struct roof_work *w)
{
    static const char *const levels[] = {"hbm", "l2", "l1", "lds"};
    const char *comma = "";
    print_json(out, ",\"dispatches\":%u,\"counted\":%u,\"mixed\":%s,\"operations\":{",
               w->dispatches, w->counted, w->mixed ? "true" : "false");
    for (int i = 0; i < WORK_UNITS * WORK_TYPES; i++) {
        double ops = w->ops[i / WORK_TYPES][i % WORK_TYPES];
        char text[32];
        if (isnan(ops))
            continue;
        print_json(out, "%s\"%s %s\":%s", comma, work_unit_name((enum work_unit)(i / WORK_TYPES)),
                   work_type_name((enum work_type)(i % WORK_TYPES)), number_text(ops, text));
        comma = ",";
    }
    fputs("},\"levels\":{", out);
    for (int l = 0; l < WORK_LEVELS; l++) {
        print_json(out, "%s\"%s\":{\"derived\":%s", l ? "," : "", levels[l],
                   w->derived >> l & 1 ? "true" : "false");
        json_real(out, "bytes", w->bytes[l]);
        json_real(out, "bytes_per_s", w->bytes_s[l]);
        json_real(out, "flop_per_byte", w->intensity[l]);
        fputc('}', out);
    }
    fprintf(out, "},\"missing\":%u,\"missing_counters\":[", w->nmissing);
    for (uint32_t i = 0; i < w->nnamed; i++)
        print_json(out, "%s\"%s\"", i ? "," : "", w->missing[i]);
    fputc(']', out);
}

struct roofline_json {
    FILE *out;
    struct list_members members;
    const struct roofline_doc *d;
    bool comma;
};

/* Writes the reason why numbers are null. */
static void json_why(FILE *out, const char *why)
{
    fputs(",\"why\":", out);
    if (*why)
        print_json_quoted(out, why);
    else
        fputs("null", out);
}

static void json_point(void *ctx, const struct roof_point *p, uint64_t id)
{
    struct roofline_json *j = ctx;
    char unknown[400];
    const struct roofline_item item = make_roofline_item(j->d, p, id);
    fputs(j->comma ? ",\n{" : "\n{", j->out);
    j->comma = true;
    list_fields_json_write(j->out, &j->members, &item, 1, ROOFLINE_BEFORE_REASONS);
    const char *why = roofline_why_above(j->d->r, p);
    static const char *const over[] = {"calls", "spans", "busiest"};
    if (!p->work)
        print_json(j->out, ",\"over\":\"%s\",\"of_total_ns\":%" PRIu64 ",\"threads\":%u",
                   over[p->over], p->of_total, p->threads);
    fputs(",\"above_roof\":", j->out);
    if (why)
        print_json_quoted(j->out, why);
    else
        fputs("null", j->out);
    json_why(j->out, roofline_why_unknown(j->d->r, j->d->t, p, unknown, sizeof unknown));
    list_fields_json_write(j->out, &j->members, &item, ROOFLINE_BEFORE_REASONS + 1, UINT8_MAX);
    if (p->work)
        json_work(j->out, p->work);
    fputc('}', j->out);
}

void roofline_export_json(FILE *out, const struct roofline_doc *d)
{
    struct roofline_json j = {.out = out, .d = d};
    list_members(&j.members, roofline_fields);
    fputs("{\"schema\":\"rooftop.roofline/2\"", out);
    left_out_json_write(out, d->t);
    fputs(",\"roofs\":[", out);
    for (uint32_t i = 0; i < d->r->nroofs; i++) {
        const struct roof *r = &d->r->roofs[i];
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        print_json_quoted(out, r->name);
        fputs(",\"from\":", out);
        print_json_quoted(out, r->how);
        json_real(out, "flop_per_s", r->flops > 0 ? r->flops : NAN);
        json_real(out, "bytes_per_s", r->bytes > 0 ? r->bytes : NAN);
        if (r->threads)
            print_json(out, ",\"threads\":%u", r->threads);
        if (!r->nceilings || r->threads) {
            json_real(out, "flop_spread", r->flops_spread);
            json_real(out, "bytes_spread", r->bytes_spread);
        }
        fputs(",\"ceilings\":[", out);
        for (uint32_t k = 0; k < r->nceilings; k++) {
            const struct ceiling *c = &r->ceilings[k];
            print_json(out, "%s{\"name\":\"%s\",\"kind\":\"%s\",\"binds\":%s", k ? "," : "",
                       c->name, c->memory ? "memory" : "compute", c->extra ? "false" : "true");
            json_real(out, c->memory ? "bytes_per_s" : "flop_per_s", c->peak);
            if (r->threads)
                json_real(out, "spread", c->spread);
            fputc('}', out);
        }
        fputs("]}", out);
    }
    fputs("],\"points\":[", out);
    roofline_each(d, json_point, &j);
    char why[200] = "";
    fprintf(out, "],\"kernels_without_counters\":%u", d->r->uncounted);
    json_why(out, d->r->npoints ? why : roofline_why_empty(d->t, why, sizeof why));
    fputs("}\n", out);
}
