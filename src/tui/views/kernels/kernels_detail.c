/* The details of one kernel, and what bounds a profile as a whole. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/value/value.h"
#include "tui/views/kernels/kernels.h"
#include "tui/widgets/wrap.h"

enum { LINES = 40, LINE_MAX_BYTES = 256, COLUMN = 56, EVIDENCE_ROWS = 2 };

struct kernel_lines {
    struct {
        char text[LINE_MAX_BYTES];
        struct style style;
        int indent;
    } line[LINES];
    int n;
    bool ascii;
    const struct gpu_words *words;
};

static void __attribute__((format(printf, 4, 5)))
put_line(struct kernel_lines *l, int indent, struct style st, const char *fmt, ...)
{
    char text[LINE_MAX_BYTES];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (l->n == LINES)
        return;
    char *to = l->line[l->n].text;
    const char *said = l->n ? gpu_say(l->words, text, to, LINE_MAX_BYTES) : text; /* 0: the name */
    if (said != to)
        memcpy(to, text, sizeof text);
    l->line[l->n].style = st;
    l->line[l->n++].indent = indent;
}

static void put_evidence(struct kernel_lines *l, const struct bottleneck *b, const struct facts *f)
{
    char text[BOTTLENECK_TERMS][BOTTLENECK_TEXT];
    const size_t n = bottleneck_evidence(b, f, l->ascii, text);
    put_line(l, 0, kernels_label_style(b), "%s%s%s%s", bottleneck_name(b->label),
             b->confidence ? " (" : "", bottleneck_sure(b), b->confidence ? ")" : "");
    for (size_t i = 0; i < n; i++) {
        const bool known = b->label != LABEL_MIXED && !isnan(f->v[b->rule->terms[i].fact]);
        put_line(l, 2, STYLE(known ? STYLE_TEXT : STYLE_DIM), "%s", text[i]);
    }
    for (int k = 0; k < LABELS; k++)
        if (b->also >> k & 1)
            put_line(l, 2, STYLE(STYLE_DIM), "also: %s", bottleneck_name((enum bottleneck_label)k));
    if (*bottleneck_advice(b->label))
        put_line(l, 2, STYLE(STYLE_DIM), "%s", bottleneck_advice(b->label));
}

static void put_times(struct kernel_lines *l, const struct kernel_row *r)
{
    char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX], c[VALUE_TEXT_MAX], d[VALUE_TEXT_MAX];
    char share[SHARE_PERCENT];
    if (r->sum.timed == 0) {
        put_line(l, 0, STYLE(STYLE_TEXT), "%" PRIu64 " call%s; the profile tells no time of them",
                 r->sum.calls, r->sum.calls == 1 ? "" : "s");
        return;
    }
    put_line(l, 0, STYLE(STYLE_TEXT), "%" PRIu64 " call%s, mean %s, %s to %s, sd %s", r->sum.calls,
             r->sum.calls == 1 ? "" : "s", value_time(r->mean, l->ascii, a),
             value_time((double)r->sum.min, l->ascii, b),
             value_time((double)r->sum.max, l->ascii, c), value_time(r->sd, l->ascii, d));
    put_line(l, 0, STYLE(STYLE_TEXT), "%s in all, %s %% of device time; %s on the critical path",
             value_time((double)r->sum.total, l->ascii, a), share_percent(r->share, share),
             value_time((double)r->sum.on_path, l->ascii, b));
    if (r->sum.followers)
        put_line(l, 0, STYLE(STYLE_DIM), "the device was idle for %s before it, mean",
                 value_time((double)r->sum.gap / (double)r->sum.followers, l->ascii, a));
    if (r->sum.slack_calls)
        put_line(l, 0, STYLE(STYLE_DIM), "slack of a call: %s at least, mean %s, %s at most",
                 value_time(kernel_slack_least(r), l->ascii, a),
                 value_time(kernel_slack_mean(r), l->ascii, b),
                 value_time(kernel_slack_most(r), l->ascii, c));
}

static const char *count_text(uint32_t v, char out[16])
{
    snprintf(out, 16, v == TRACE_UNKNOWN ? "n/a" : "%" PRIu32, v);
    return out;
}

static const char *write_kernel_bytes(uint32_t v, char out[16])
{
    snprintf(out, 16, v == TRACE_UNKNOWN ? "n/a" : "%" PRIu32 " B", v);
    return out;
}

static void put_resources(struct kernel_lines *l, const struct kernel_row *r)
{
    char vector[16], accum[16], scalar[16], lds[16], scratch[16];
    const struct kernel_shape *s = &r->shape;
    count_text(s->vgprs, vector);
    write_kernel_bytes(s->lds_bytes, lds);
    write_kernel_bytes(s->scratch_bytes, scratch);
    if (r->words->scalar)
        put_line(l, 0, STYLE(STYLE_DIM), "VGPR %s  AGPR %s  SGPR %s  LDS %s  scratch %s", vector,
                 count_text(s->accum_vgprs, accum), count_text(s->sgprs, scalar), lds, scratch);
    else
        put_line(l, 0, STYLE(STYLE_DIM), "VGPRs %s  LDS %s  scratch %s", vector, lds, scratch);
}

static void write_kernel_shape(struct kernel_lines *l, const struct kernel_row *r)
{
    char text[LAUNCH_TEXT], fit[128];
    const struct kernel_shape *s = &r->shape;
    bool known = *kernel_shape_text(s, text) != '\0';
    if (known)
        put_line(l, 0, STYLE(STYLE_TEXT), "%s%s%s%s%s", text, *r->arch ? " on " : "", r->arch,
                 isnan(r->occupancy.waves) ? "" : "; ", kernel_fit_text(r, fit, sizeof fit));
    put_resources(l, r);
    if (r->shapes > 1)
        put_line(l, 0, STYLE(STYLE_DIM),
                 "these are of the one that took longest, of %" PRIu32 " shapes", r->shapes);
}

static void fill_detail(struct kernel_lines *l, const struct kernel_row *r)
{
    put_line(l, 0, STYLE(STYLE_TITLE), "%s", r->name);
    if (r->label.rule)
        put_evidence(l, &r->label, &r->facts);
    put_times(l, r);
    if (r->collective) {
        char text[KERNEL_COMMUNICATION_TEXT];
        put_line(l, 0, STYLE(STYLE_TEXT), "%s",
                 kernel_communication_text(r, l->ascii, text, sizeof text));
    } else if (r->kind == NODE_KERNEL)
        write_kernel_shape(l, r);
    if (r->counts.dispatches)
        put_line(l, 0, STYLE(STYLE_DIM), "counters of %" PRIu32 " dispatches: i",
                 r->counts.dispatches);
}

/* Lines are cut if there are two columns, and wrapped if there is one. */
static void draw_columns(struct canvas *c, struct rect r, const struct kernel_lines *l)
{
    int w = (r.w - 2) / 2, half = r.h;
    for (int i = 1; i < l->n && i <= 2 * half; i++) {
        int column = (i - 1) / half, indent = l->line[i].indent;
        canvas_text(c, r.x + column * (w + 2) + indent, r.y + (i - 1) % half, w - indent,
                    l->line[i].text, l->line[i].style);
    }
}

void kernels_detail_draw(struct canvas *c, struct rect r, const struct analysis *a,
                         const struct kernel_row *row, enum kernels_group group,
                         struct kernel_launches_kept *kept)
{
    struct kernel_lines l = {.n = 0, .ascii = c->ascii, .words = row->words};
    fill_detail(&l, row);
    if (r.h < 1)
        return;
    /* the whole name, but at most a third of the rows */
    int named = wrap_draw(c, (struct rect){r.x, r.y, r.w, r.h / 3 > 0 ? r.h / 3 : 1}, row->name,
                          l.line[0].style);
    r.y += named;
    r.h -= named;
    if (r.h > 0 && l.n - 1 > r.h && r.w >= 2 * COLUMN + 2) {
        draw_columns(c, r, &l);
        return;
    }
    struct rect left = r; /* the space for its launches: below, or beside if that is wide enough */
    left.w = r.w >= 2 * COLUMN + 2 ? (r.w - 2) / 2 : r.w;
    bool beside = left.w < r.w;
    for (int i = 1, end = r.y + r.h, indent; i < l.n && left.y < end; i++) {
        indent = l.line[i].indent;
        left.y += wrap_draw(c, (struct rect){r.x + indent, left.y, left.w - indent, end - left.y},
                            l.line[i].text, l.line[i].style);
    }
    left.h = r.y + r.h - left.y;
    if (beside)
        left = (struct rect){r.x + left.w + 2, r.y - 1, left.w, r.h + 1};
    kernels_launches_draw(c, left, a, row, group, kept);
}

/* --- the whole profile --- */

static int draw_time_part(struct canvas *c, int x, struct rect r, const char *what, double share)
{
    char text[64];
    snprintf(text, sizeof text, "%s %.1f %%", what, 100 * share);
    int w = text_width(text);
    return x + w > r.x + r.w ? x : x + 2 + canvas_text(c, x, r.y, w, text, STYLE(STYLE_DIM));
}

/* Draws as much of the evidence as has room, no part of it cut. Returns the rows, 1 at least. */
static int draw_total_evidence(struct canvas *c, struct rect r, const struct kernels_total *t)
{
    char text[BOTTLENECK_TERMS][BOTTLENECK_TEXT], all[BOTTLENECK_TERMS * BOTTLENECK_TEXT] = "";
    const size_t terms = bottleneck_evidence(&t->label, &t->facts, c->ascii, text);
    for (size_t i = 0; i < terms; i++) {
        const size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", i ? "; " : "", text[i]);
        if (i && wrap_draw(NULL, (struct rect){r.x, r.y, r.w, r.h + 1}, all, STYLE(0)) > r.h) {
            all[n] = '\0';
            break;
        }
    }
    const int rows = wrap_draw(c, r, all, STYLE(STYLE_DIM));
    return rows > 1 ? rows : 1;
}

int kernels_total_draw(struct canvas *c, struct rect r, const struct kernels_total *t)
{
    char wall[VALUE_TEXT_MAX];
    uint64_t all = t->wall;
    if (!t->label.rule)
        return 0;
    int x = r.x;
    if (all) {
        x += 2 + canvas_printf(c, x, r.y, r.w, STYLE(STYLE_TEXT), "devices %s",
                               value_time((double)all, c->ascii, wall));
        x = draw_time_part(c, x, r, "kernels", (double)(t->busy - t->copying) / (double)all);
        x = draw_time_part(c, x, r, "only copies", (double)t->copying / (double)all);
        x = draw_time_part(c, x, r, "idle", (double)kernels_idle(t) / (double)all);
    }
    if (isfinite(t->facts.v[FACT_PATH_HOST])) {
        int before = x;
        x = draw_time_part(c, x, r, "path: launch latency", t->facts.v[FACT_PATH_LAUNCH]);
        before = x > before ? x : r.x + r.w;
        x = draw_time_part(c, before, r, "host", t->facts.v[FACT_PATH_HOST]);
        /* says why the host's share may be larger than the idle time */
        if (x > before && t->path_beside)
            draw_time_part(c, x, r, "host beside busy devices",
                           (double)t->path_beside / (double)t->path);
    }
    x = r.x;
    r.y++;
    x += canvas_printf(c, x, r.y, r.w, kernels_label_style(&t->label), "%s%s",
                       bottleneck_name(t->label.label),
                       kernels_label_doubtful(&t->label) ? " ?" : "");
    x += 2;
    return 1 + draw_total_evidence(c, (struct rect){x, r.y, r.x + r.w - x, EVIDENCE_ROWS}, t);
}
