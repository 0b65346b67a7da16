/* The roofline plot as SVG: log-log, ceilings as lines, points as circles. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "engine/roofline/roofline.h"
#include "engine/roofline/roofline_gpu.h"
#include "engine/value/document.h"
#include "export/roofline_export.h"

enum { W = 1260, H = 640, LEFT = 100, RIGHT = 310, TOP = 40, BOTTOM = 50, NAME_MAX_SHOWN = 80 };

struct svg_frame {
    double x0, x1, y0, y1; /* limits of the axes, log10 */
};
struct svg {
    FILE *out;
    const struct roofline_doc *d;
    struct svg_frame f;
    uint64_t longest;
};

static double roofline_x_of(const struct svg_frame *f, double log_x)
{
    return LEFT + (log_x - f->x0) / (f->x1 - f->x0) * (W - LEFT - RIGHT);
}

static double roofline_y_of(const struct svg_frame *f, double log_y)
{
    return H - BOTTOM - (log_y - f->y0) / (f->y1 - f->y0) * (H - TOP - BOTTOM);
}

static void widen_log(double v, double *low, double *high)
{
    if (!(v > 0) || !isfinite(v))
        return;
    *low = fmin(*low, log10(v));
    *high = fmax(*high, log10(v));
}

static void see_point(void *ctx, const struct roof_point *p, uint64_t id)
{
    struct svg *s = ctx;
    (void)id;
    widen_log(p->flops, &s->f.y0, &s->f.y1);
    widen_log(p->intensity, &s->f.x0, &s->f.x1);
    if (p->total > s->longest)
        s->longest = p->total;
}

static void find_frame(struct svg *s)
{
    s->f = (struct svg_frame){INFINITY, -INFINITY, INFINITY, -INFINITY};
    roofline_each(s->d, see_point, s);
    for (uint32_t i = 0; i < s->d->r->nroofs; i++) {
        const struct roof *r = &s->d->r->roofs[i];
        widen_log(r->flops, &s->f.y0, &s->f.y1);
        if (r->bytes > 0)
            widen_log(r->flops / r->bytes, &s->f.x0, &s->f.x1);
    }
    if (!(s->f.x1 >= s->f.x0))
        s->f.x0 = -1, s->f.x1 = 2;
    if (!(s->f.y1 >= s->f.y0))
        s->f.y0 = 9, s->f.y1 = 12;
    s->f.x0 = floor(s->f.x0 - 0.3), s->f.x1 = ceil(s->f.x1 + 0.3);
    s->f.y0 = floor(s->f.y0 - 0.3), s->f.y1 = ceil(s->f.y1 + 0.2);
}

static void draw_roofline_axes(const struct svg *s)
{
    for (int e = (int)s->f.x0; e <= (int)s->f.x1; e++)
        fprintf(s->out,
                "<line class=\"g\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                roofline_x_of(&s->f, e), TOP, roofline_x_of(&s->f, e), H - BOTTOM,
                roofline_x_of(&s->f, e), H - BOTTOM + 18, pow(10, e));
    for (int e = (int)s->f.y0; e <= (int)s->f.y1; e++) {
        char label[VALUE_TEXT_MAX];
        struct value v = value_ok(pow(10, e), UNIT_FLOP_PER_S);
        print_xml(s->out,
                  "<line class=\"g\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                  "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                  LEFT, roofline_y_of(&s->f, e), W - RIGHT, roofline_y_of(&s->f, e), LEFT - 6,
                  roofline_y_of(&s->f, e) + 4, value_format(&v, false, label));
    }
    fprintf(s->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">FLOP/byte</text>\n",
            LEFT + (W - LEFT - RIGHT) / 2, H - 10);
}

/* Draws a memory ceiling as a diagonal up to the highest compute ceiling, or a compute ceiling as
 * a level line from where it meets the fastest memory. */
static void draw_roofline_ceiling(const struct svg *s, const char *name, const char *color,
                                  bool memory, double peak, double most, double fastest)
{
    const struct svg_frame *f = &s->f;
    double log_peak = log10(peak), ya, yb, xa, xb;
    if (memory) {
        xa = fmax(f->x0, f->y0 - log_peak), xb = fmin(f->x1, log10(most) - log_peak);
        ya = xa + log_peak, yb = xb + log_peak;
    } else {
        xa = fmax(f->x0, log_peak - log10(fastest)), xb = f->x1;
        ya = yb = log_peak;
    }
    if (!(xa < xb) || yb < f->y0 || ya > f->y1)
        return;
    print_xml(s->out,
              "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
              " stroke-width=\"1.6\"/>",
              roofline_x_of(f, xa), roofline_y_of(f, ya), roofline_x_of(f, xb),
              roofline_y_of(f, yb), color);
    if (memory) { /* the name is right-aligned above the line, near its begin */
        double at = xa + 0.14 * (f->x1 - f->x0);
        print_xml(s->out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" text-anchor=\"end\">",
                  roofline_x_of(f, at) - 6, roofline_y_of(f, at + log_peak), color);
    } else {
        print_xml(s->out, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">", W - RIGHT + 6,
                  roofline_y_of(f, yb) + 4, color);
    }
    print_xml(s->out, "%.*s", NAME_MAX_SHOWN, name);
    fputs("</text>\n", s->out);
}

/* Joins the names of all ceilings of the same height, which share a line. Returns false if an
 * earlier ceiling has drawn it. */
static bool names_of_height(const struct roof *r, uint32_t i, char *out, size_t size)
{
    const struct ceiling *c = &r->ceilings[i];
    char peak[VALUE_TEXT_MAX];
    size_t n = 0;
    for (uint32_t k = 0; k < r->nceilings && n < size; k++) {
        const struct ceiling *other = &r->ceilings[k];
        if (other->memory != c->memory || other->extra || fabs(other->peak / c->peak - 1) > 1e-6)
            continue;
        if (k < i || c->extra)
            return false;
        n += (size_t)snprintf(out + n, size - n, "%s%s", k > i ? ", " : "", other->name);
    }
    struct value v = value_ok(c->peak, c->memory ? UNIT_BYTES_PER_S : UNIT_FLOP_PER_S);
    if (n < size)
        snprintf(out + n, size - n, " %s", value_format(&v, false, peak));
    return !c->extra;
}

static void roof_lines(const struct svg *s, const struct roof *r, uint32_t nth)
{
    static const char *const levels[] = {"#c0392b", "#d68910", "#229954", "#2471a3"};
    static const char *const whole[] = {"#34495e", "#a04000", "#1a5276", "#6c3483"};
    double fastest = r->bytes, most = r->flops;
    for (uint32_t i = 0; i < r->nceilings; i++)
        if (r->ceilings[i].memory)
            fastest = fmax(fastest, r->ceilings[i].peak);
    most = most > 0 ? most : pow(10, s->f.y1);
    fastest = fastest > 0 ? fastest : INFINITY;
    if (!r->nceilings && r->bytes > 0)
        draw_roofline_ceiling(s, r->name, whole[nth % 4], true, r->bytes, most, fastest);
    if (!r->nceilings && r->flops > 0)
        draw_roofline_ceiling(s, r->name, whole[nth % 4], false, r->flops, most, fastest);
    for (uint32_t i = 0; i < r->nceilings; i++) {
        const struct ceiling *c = &r->ceilings[i];
        char label[192];
        if (names_of_height(r, i, label, sizeof label))
            draw_roofline_ceiling(s, label, c->memory ? levels[c->level] : whole[nth % 4],
                                  c->memory, c->peak, most, fastest);
    }
}

static void draw_roof_point(void *ctx, const struct roof_point *p, uint64_t id)
{
    const struct svg *s = ctx;
    double x = log10(p->intensity), y = log10(p->flops);
    const char *only = roofline_why_no_intensity(p);
    if (only && isnan(p->bytes)) { /* at the right end of the line of its FLOP/s */
        x = s->f.x1;
    } else if (only) { /* at the left end of the line of its bandwidth */
        x = fmax(s->f.x0, s->f.y0 - log10(p->bytes));
        y = x + log10(p->bytes);
    } else if (!(p->flops > 0) || !(p->intensity > 0)) {
        return;
    }
    double share = s->longest ? (double)p->total / (double)s->longest : 0;
    fputs("<g><title>", s->out);
    print_xml(s->out, "%.*s", NAME_MAX_SHOWN, p->name);
    if (id != GRAPH_UNKNOWN)
        fprintf(s->out, " #%" PRIu64, id);
    if (only)
        print_xml(s->out, ": %.4g %s", (isnan(p->flops) ? p->bytes : p->flops) / 1e9,
                  isnan(p->flops) ? "GB/s" : "GFLOP/s");
    else
        fprintf(s->out, ": %.4g GFLOP/s, %.4g FLOP/byte", p->flops / 1e9, p->intensity);
    if (!isnan(p->distance))
        print_xml(s->out, ", %.1f %% of %s", 100 * (1 - p->distance),
                  roofline_bound_name(s->d->r, p));
    if (only)
        print_xml(s->out, "; %s", only);
    const char *why = roofline_why_above(s->d->r, p);
    if (why)
        print_xml(s->out, ". Likely: %s", why);
    print_xml(s->out,
              "%s</title><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#7d3c98\""
              " fill-opacity=\"0.5\" stroke=\"#4a235a\" stroke-dasharray=\"%s\"/></g>\n",
              roofline_incomplete(p) ? ", incomplete: counters are missing" : "",
              roofline_x_of(&s->f, x), roofline_y_of(&s->f, y), 3 + 13 * sqrt(share),
              roofline_incomplete(p) ? "2 2" : "none");
}

void roofline_export_svg(FILE *out, const struct roofline_doc *d)
{
    struct svg s = {.out = out, .d = d};
    find_frame(&s);
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d"
        " %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<style>.g{stroke:#ddd}</style><rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
        W, H, W, H);
    draw_roofline_axes(&s);
    for (uint32_t i = 0; i < d->r->nroofs; i++) {
        fprintf(out, "<text x=\"%d\" y=\"%u\">", LEFT, 18 + 14 * i);
        print_xml(out, "%.*s", NAME_MAX_SHOWN, d->r->roofs[i].name);
        fputs(d->r->roofs[i].how[0] ? ": " : "", out);
        print_xml(out, "%.*s", NAME_MAX_SHOWN, d->r->roofs[i].how);
        fputs("</text>\n", out);
        roof_lines(&s, &d->r->roofs[i], i);
    }
    roofline_each(d, draw_roof_point, &s);
    fputs("</svg>\n", out);
}
