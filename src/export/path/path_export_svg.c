/* A critical path as a picture: lanes of threads and queues over the time of the path. Colour and
 * tooltip say what each step is. */
#include <inttypes.h>

#include "base/print.h"
#include "engine/value/document.h"
#include "export/path/path_export_impl.h"
#include "export/svg.h"

enum { WIDTH = 1200, LABEL = 190, RIGHT = 10, ROW = 30, BAR_H = 22, TOP = 120, CHAR = 7 };
enum { LANES_MAX = 64 }; /* the last lane is shared by all others */

static const char *const fill[PATH_PARTS] = {"#f0c75e", "#e79a6f", "#6cc3a0", "#b8a9d9",
                                             "#7fb2e5", "#bccbda", "#d8d8d2"};

struct path_picture {
    FILE *out;
    const struct trace *t;
    const struct graph *g;
    const struct critical_path *p;
    uint32_t lane[LANES_MAX]; /* nodes of the lanes */
    uint32_t nlanes;
    double scale; /* pixels per nanosecond */
};

/* The thread or queue that contains the node; else its outermost ancestor. */
static uint32_t lane_node(const struct graph *g, uint32_t v)
{
    while (g->kind[v] != NODE_THREAD && g->kind[v] != NODE_QUEUE && g->parent[v] != GRAPH_NONE)
        v = g->parent[v];
    return v;
}

static uint32_t find_path_lane(struct path_picture *d, uint32_t node)
{
    uint32_t lane = lane_node(d->g, node);
    for (uint32_t i = 0; i < d->nlanes; i++)
        if (d->lane[i] == lane)
            return i;
    if (d->nlanes < LANES_MAX)
        d->lane[d->nlanes++] = lane;
    return d->nlanes - 1;
}

static double path_x_of(const struct path_picture *d, uint64_t t)
{
    return LABEL + (double)t * d->scale;
}

static void print_title(const struct path_picture *d, const struct critical_step *s)
{
    char time[VALUE_TEXT_MAX];
    fputs("<title>", d->out);
    print_xml(d->out, "%.*s", 512, graph_name(d->g, s->node));
    print_xml(d->out, "  %s, %s%s</title>", value_time((double)s->length, true, time),
              path_part_name((enum path_part)s->part),
              s->inferred ? ", order inferred from the times" : "");
}

static void draw_path_step(const struct path_picture *d, const struct critical_step *s,
                           uint32_t lane)
{
    double x = path_x_of(d, s->start), w = (double)s->length * d->scale;
    unsigned y = TOP + lane * ROW;
    fputs("<g>", d->out);
    print_title(d, s);
    print_xml(d->out,
              "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\" stroke=\"#555\" "
              "stroke-width=\".5\" stroke-dasharray=\"%s\"/>",
              x, y, w > 1 ? w : 1, BAR_H, fill[s->part], s->inferred ? "3 2" : "none");
    if (w > 4 * CHAR)
        svg_text_in(d->out, x + 3, y + BAR_H - 7, (int)((w - 6) / 7.3), graph_name(d->g, s->node));
    fputs("</g>\n", d->out);
}

/* Draws the steps and the lines between lanes; a line is dashed if the edge was inferred from
 * times. If several steps fall on one pixel, only one is drawn. */
static void draw_path_steps(struct path_picture *d)
{
    double drawn[LANES_MAX];
    uint32_t before = UINT32_MAX;
    int64_t joint = -1;
    for (uint32_t i = 0; i < LANES_MAX; i++)
        drawn[i] = -1;
    for (uint32_t i = 0; i < d->p->nsteps; i++) {
        const struct critical_step *s = &d->p->steps[i];
        uint32_t lane = find_path_lane(d, s->node);
        double x = path_x_of(d, s->start), end = path_x_of(d, s->start + s->length);
        if (before != UINT32_MAX && before != lane && (int64_t)(4 * x) != joint) {
            print_xml(d->out, "<path d=\"M%.2f %uV%u\" class=\"%s\"/>\n", x,
                      TOP + before * ROW + BAR_H / 2, TOP + lane * ROW + BAR_H / 2,
                      s->inferred ? "i" : "j");
            joint = (int64_t)(4 * x);
        }
        before = lane;
        if (end - x >= 1 || x >= drawn[lane]) {
            draw_path_step(d, s, lane);
            drawn[lane] = end > x + 1 ? end : x + 1;
        }
    }
}

static void print_lanes(const struct path_picture *d)
{
    for (uint32_t i = 0; i < d->nlanes; i++) {
        const struct trace_file *f = trace_file_of(d->t, d->lane[i]);
        char name[256];
        print_line(name, sizeof name, "%.100s%s%.100s", f ? f->label : "", f ? " " : "",
                   graph_name(d->g, d->lane[i]));
        svg_text(d->out, 8, TOP + i * ROW + BAR_H - 7, (LABEL - 12) / CHAR,
                 i + 1 == LANES_MAX ? "others" : name);
    }
}

/* A bar with the shares of the path, which also explains the colours. */
static void draw_path_shares(FILE *out, const struct path_shares *s)
{
    double x = LABEL, room = WIDTH - LABEL - RIGHT;
    int at = LABEL;
    for (int i = 0; i < PATH_PARTS; i++) {
        double w = room * s->all.share[i] / PATH_WHOLE;
        print_xml(out,
                  "<rect x=\"%.2f\" y=\"40\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n"
                  "<rect x=\"%d\" y=\"74\" width=\"12\" height=\"12\" fill=\"%s\"/>"
                  "<text x=\"%d\" y=\"84\">%s %.1f %%</text>\n",
                  x, w, BAR_H, fill[i], at, fill[i], at + 17, path_part_name((enum path_part)i),
                  s->all.share[i] / (PATH_WHOLE / 100.0));
        x += w;
        at += 150;
    }
    fputs("<text x=\"8\" y=\"55\">time measured</text>\n", out);
}

void path_export_svg(FILE *out, const struct path_document *doc)
{
    const struct critical_path *p = path_shown(doc);
    char time[VALUE_TEXT_MAX];
    struct path_picture d = {.out = out, .t = doc->trace, .g = doc->trace->calls, .p = p};
    d.scale = p->length ? (WIDTH - LABEL - RIGHT) / (double)p->length : 0;
    for (uint32_t i = 0; i < p->nsteps; i++)
        find_path_lane(&d, p->steps[i].node);
    svg_begin(out, WIDTH, TOP + d.nlanes * ROW + 10, 12,
              "path{fill:none;stroke:#c0392b;stroke-width:1.5}.i{stroke-dasharray:3 3}");
    print_xml(out,
              "<text x=\"8\" y=\"24\" font-weight=\"bold\">critical path %s, %u steps%s</text>\n",
              value_time((double)p->length, true, time), p->nsteps,
              doc->what_if ? ", with what was asked" : "");
    if (!doc->what_if)
        draw_path_shares(out, doc->shares);
    print_lanes(&d);
    draw_path_steps(&d);
    svg_end(out);
}
