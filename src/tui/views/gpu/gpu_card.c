#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/views/gpu/gpu.h"
#include "tui/widgets/area.h"
#include "tui/widgets/gpu_row.h"
#include "tui/widgets/meter.h"

/* --- numbers: one line each, the most important first, unknown ones last --- */

struct card_lines {
    struct canvas *c;
    struct rect r;
    int y;
    const struct gpu *g;
    const struct gpu_now *n;
    const char *why; /* the last shown reason, which is not repeated */
};
enum { LABEL_W = 8, BAR_W = 14 };

static const char *card_number(const struct card_lines *l, const struct value *v,
                               char out[VALUE_TEXT_MAX])
{
    if (v->validity == VALUE_OK && v->unit == UNIT_NONE) { /* a count */
        snprintf(out, VALUE_TEXT_MAX, "%.*f", v->v == floor(v->v) ? 0 : 1, v->v);
        return out;
    }
    return value_format(v, l->c->ascii, out);
}

static bool has_card_room(const struct card_lines *l)
{
    return l->y < l->r.y + l->r.h;
}

static int draw_card_label(struct card_lines *l, const char *name)
{
    canvas_text(l->c, l->r.x, l->y, LABEL_W, name, STYLE(STYLE_DIM));
    return l->r.x + LABEL_W;
}

static void end_card_line(struct card_lines *l, int x, enum style_role role, const char *text)
{
    canvas_text(l->c, x, l->y++, l->r.x + l->r.w - x, text, STYLE(role));
}

/* Draws a meter with a text, or the reason why the value is missing. */
static void draw_card_meter(struct card_lines *l, const char *name, const struct value *percent,
                            enum style_role role, const char *text)
{
    if (!has_card_room(l))
        return;
    int x = draw_card_label(l, name), bar = l->r.w < 40 ? 8 : BAR_W;
    meter_draw(l->c, x, l->y, bar, percent, role);
    bool why = percent->validity == VALUE_MISSING && !*text;
    char reason[200];
    const char *because = percent->why ? percent->why : "not measured";
    bool again = l->why && strcmp(l->why, because) == 0;
    snprintf(reason, sizeof reason, "n/a%s%s", again ? "" : ": ", again ? "" : because);
    l->why = why ? because : l->why;
    end_card_line(l, x + bar + 1, why ? STYLE_DIM : STYLE_TEXT, why ? reason : text);
}

static void busy_line(struct card_lines *l, const char *name, const struct value *busy,
                      const struct value *hz, enum style_role role)
{
    char text[96] = "", clock[VALUE_TEXT_MAX];
    if (busy->validity == VALUE_OK)
        snprintf(text, sizeof text, "%3.0f %%  %s", busy->v,
                 hz->validity == VALUE_OK ? card_number(l, hz, clock) : "");
    else if (hz->validity == VALUE_OK)
        snprintf(text, sizeof text, "n/a    %s", card_number(l, hz, clock));
    draw_card_meter(l, name, busy, role, text);
}

static void memory_line(struct card_lines *l)
{
    struct value part = gpu_memory_share(l->g, l->n);
    char text[96] = "", used[VALUE_TEXT_MAX], all[VALUE_TEXT_MAX];
    if (part.validity == VALUE_OK)
        snprintf(text, sizeof text, "%3.0f %%  %s of %s", part.v,
                 card_number(l, &l->n->mem_used, used), card_number(l, &l->g->mem_total, all));
    else if (l->g->mem_total.validity == VALUE_OK)
        snprintf(text, sizeof text, "n/a    of %s", card_number(l, &l->g->mem_total, all));
    draw_card_meter(l, "memory", &part, STYLE_GRAD_USED, text);
}

static void power_line(struct card_lines *l)
{
    const struct value *p = &l->n->power, *cap = &l->n->power_cap;
    struct value part = *p;
    char text[96] = "", watt[VALUE_TEXT_MAX], limit[VALUE_TEXT_MAX];
    if (p->validity == VALUE_OK) {
        bool known = cap->validity == VALUE_OK && cap->v > 0;
        part = known ? value_ok(100 * p->v / cap->v, UNIT_PERCENT)
                     : value_missing("no limit is known", UNIT_PERCENT);
        snprintf(text, sizeof text, "%s%s%s", card_number(l, p, watt), known ? " of " : "",
                 known ? card_number(l, cap, limit) : "");
    }
    draw_card_meter(l, "power", &part, STYLE_GRAD_TEMP, text);
}

static void temperature_line(struct card_lines *l)
{
    static const char *const names[] = {"junction", "edge", "memory", "SoC"};
    const struct gpu_now *n = l->n;
    const struct value *all[] = {&n->temp_junction, &n->temp_edge, &n->temp_mem, &n->temp_soc};
    struct value top = gpu_temperature(n);
    const char *unit = l->c->ascii ? " C" : " °C";
    char text[128] = "";
    size_t used = 0;
    if (top.validity == VALUE_OK && l->g->temp_limit.validity == VALUE_OK && l->g->temp_limit.v > 0)
        top = value_ok(100 * top.v / l->g->temp_limit.v, UNIT_PERCENT);
    else if (top.validity == VALUE_OK) /* a temperature without a limit has no percentage */
        top = value_missing("no limit is known", UNIT_PERCENT);
    for (size_t i = 0; i < 4; i++)
        if (all[i]->validity == VALUE_OK && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.0f%s %s",
                                     used ? ", " : "", all[i]->v, used ? "" : unit, names[i]);
    draw_card_meter(l, "temp", &top, STYLE_GRAD_TEMP, text);
}

static void plain_line(struct card_lines *l, const char *name, enum style_role role,
                       const char *text)
{
    if (has_card_room(l) && *text)
        end_card_line(l, draw_card_label(l, name), role, text);
}

static void throttle_line(struct card_lines *l)
{
    const struct value *t = &l->n->throttled;
    char text[200] = "";
    if (t->validity == VALUE_MISSING)
        return;
    bool slow = t->validity == VALUE_OK && t->v > 0;
    if (t->validity == VALUE_PENDING)
        snprintf(text, sizeof text, "%s", l->c->ascii ? "..." : "…");
    else if (slow)
        snprintf(text, sizeof text, "slowed down: %s",
                 l->n->throttle_why[0] ? l->n->throttle_why : "the driver does not say why");
    else
        snprintf(text, sizeof text, "nothing slows it down");
    plain_line(l, "limits", slow ? STYLE_WARN : STYLE_OK, text);
}

/* Writes the known ones of several named values, separated by two blanks. */
struct named_value {
    const char *before, *after;
    const struct value *v;
};
static void joined_line(struct card_lines *l, const char *name, enum style_role role,
                        const struct named_value *list, size_t n)
{
    char text[200] = "", v[VALUE_TEXT_MAX];
    size_t used = 0;
    for (size_t i = 0; i < n && used < sizeof text; i++)
        if (list[i].v->validity == VALUE_OK)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s", used ? "  " : "",
                                     list[i].before, card_number(l, list[i].v, v), list[i].after);
    plain_line(l, name, role, text);
}

static void link_lines(struct card_lines *l)
{
    const struct gpu_now *n = l->n;
    struct value speed = n->pcie_speed;
    if (speed.validity == VALUE_OK)
        speed.v /= 1e9;
    const struct named_value pcie[] = {
        {"x", "", &n->pcie_width},     {"", " GT/s", &speed},
        {"in ", "", &n->pcie_rx},      {"out ", "", &n->pcie_tx},
        {"both ", "", &n->pcie_total}, {"replays ", "", &n->pcie_replays}};
    const struct named_value xgmi[] = {{"read ", "", &n->link_read},
                                       {"written ", "", &n->link_write}};
    const struct named_value dram[] = {{"read ", "", &n->dram_read},
                                       {"written ", "", &n->dram_write}};
    joined_line(l, "PCIe", STYLE_TEXT, pcie, sizeof pcie / sizeof *pcie);
    joined_line(l, "XGMI", STYLE_TEXT, xgmi, 2);
    joined_line(l, "DRAM", STYLE_TEXT, dram, 2);
}

static void shape_line(struct card_lines *l)
{
    const struct gpu *g = l->g;
    const struct named_value shape[] = {{"", " CUs", &g->cus},   {"", " SIMDs", &g->simds},
                                        {"wave", "", &g->wave},  {"LDS ", "", &g->lds},
                                        {"", " dies", &g->xccs}, {"", " bit", &g->mem_width}};
    joined_line(l, "shape", STYLE_DIM, shape, sizeof shape / sizeof *shape);
}

static void draw_card_numbers(struct card_lines *l)
{
    const struct gpu_now *n = l->n;
    const struct value none = {.validity = VALUE_MISSING};
    bool bad = n->ecc_uncorrected.validity == VALUE_OK && n->ecc_uncorrected.v > 0;
    const struct named_value fan[] = {{"", " rpm", &n->fan_rpm}, {"", "", &n->fan_percent}};
    const struct named_value ecc[] = {{"", " corrected", &n->ecc_corrected},
                                      {"", " uncorrected", &n->ecc_uncorrected}};
    const struct named_value use[] = {{"processes ", "", &n->processes},
                                      {"queues ", "", &n->queues}};
    const struct named_value place[] = {{"NUMA node ", "", &l->g->numa},
                                        {"renderD", "", &l->g->render}};
    busy_line(l, "gfx", &n->gfx_busy, &n->gfx_hz, STYLE_GRAD_CPU);
    memory_line(l);
    power_line(l);
    temperature_line(l);
    busy_line(l, "mem bus", &n->mem_busy, &n->mem_hz, STYLE_GRAD_CPU);
    throttle_line(l);
    link_lines(l);
    joined_line(l, "errors", bad ? STYLE_CRIT : STYLE_TEXT, ecc, 2);
    joined_line(l, "fan", STYLE_TEXT, fan, 2);
    joined_line(l, "in use", STYLE_TEXT, use, 2);
    shape_line(l);
    if (n->media_busy.validity == VALUE_OK)
        busy_line(l, "video", &n->media_busy,
                  n->video_hz.validity == VALUE_OK ? &n->video_hz : &none, STYLE_GRAD_CPU);
    joined_line(l, "place", STYLE_DIM, place, 2);
    plain_line(l, "driver", STYLE_DIM, l->g->driver);
}

/* --- graphs --- */

struct gpu_graph {
    const char *title, *series;
    const struct value *now, *max; /* max NULL: the scale is found from the data, or is 100 % */
    enum unit unit;
    enum style_role role;
};

static void draw_gpu_graph(struct canvas *c, struct rect r, const struct model *m,
                           const struct gpu *g, const struct gpu_graph *k)
{
    float v[LIVE_SERIES_LEN] = {0};
    char name[96], number[VALUE_TEXT_MAX];
    snprintf(name, sizeof name, "g:%.64s/%s", g->id, k->series);
    int x = canvas_text(c, r.x + AREA_LABEL_W, r.y, r.w, k->title, STYLE(STYLE_DIM));
    canvas_text(c, r.x + AREA_LABEL_W + x + 1, r.y, r.w - x - AREA_LABEL_W - 1,
                value_format(k->now, c->ascii, number), STYLE(STYLE_TITLE));
    struct rect in = {r.x, r.y + 1, r.w - 1, r.h - 1};
    size_t n = area_samples(in);
    n = n > LIVE_SERIES_LEN ? LIVE_SERIES_LEN : n;
    if (m->series)
        live_series_get(m->series, name, v, n);
    double max = k->unit == UNIT_PERCENT ? 100 : 0, span = m->interval_s * (double)n;
    if (k->max && k->max->validity == VALUE_OK && k->max->v > 0)
        max = k->max->v;
    if (m->series && n > 1 && live_series_len(m->series) >= n)
        span = live_series_age(m->series, n - 1) * (double)n / (double)(n - 1);
    area_draw(c, in,
              &(struct area){.v = v,
                             .n = m->series ? n : 0,
                             .max = max,
                             .unit = k->unit,
                             .role = k->role,
                             .span_s = span,
                             .end = m->moment[0] ? m->moment : NULL});
}

/* Chooses the graphs: only measured values get one. */
static size_t choose_graphs(const struct gpu *g, const struct gpu_now *n, struct gpu_graph *out)
{
    const struct gpu_graph all[] = {
        {"gfx", "busy", &n->gfx_busy, NULL, UNIT_PERCENT, STYLE_GRAD_CPU},
        {"memory", "mem", &n->mem_used, &g->mem_total, UNIT_BYTES, STYLE_GRAD_USED},
        {"power", "power", &n->power, &n->power_cap, UNIT_WATT, STYLE_GRAD_TEMP},
        {"junction", "junction", &n->temp_junction, &g->temp_limit, UNIT_CELSIUS, STYLE_GRAD_TEMP},
        {"temperature", "edge", &n->temp_edge, &g->temp_limit, UNIT_CELSIUS, STYLE_GRAD_TEMP},
        {"clock", "clock", &n->gfx_hz, &g->max_hz, UNIT_HZ, STYLE_GRAD_FREE},
        {"memory bus", "membusy", &n->mem_busy, NULL, UNIT_PERCENT, STYLE_GRAD_CPU},
        {"PCIe in", "rx", &n->pcie_rx, NULL, UNIT_BYTES_PER_S, STYLE_GRAD_DOWN},
        {"PCIe out", "tx", &n->pcie_tx, NULL, UNIT_BYTES_PER_S, STYLE_GRAD_UP},
    };
    size_t k = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool twin = i == 4 && n->temp_junction.validity == VALUE_OK;
        if (all[i].now->validity == VALUE_OK && !twin)
            out[k++] = all[i];
    }
    return k;
}

static void draw_gpu_graphs(struct canvas *c, struct rect r, const struct model *m,
                            const struct gpu *g, const struct gpu_now *n)
{
    enum { GRAPHS_MAX = 16, WIDE = 32, HIGH = 5 };
    struct gpu_graph list[GRAPHS_MAX];
    int have = (int)choose_graphs(g, n, list), cols = r.w / WIDE, rows = r.h / HIGH;
    cols = cols < 1 ? 1 : cols;
    rows = rows < 1 ? 1 : rows;
    while (rows > 1 && cols * (rows - 1) >= have)
        rows--;
    cols = cols > have ? have : cols;
    if (rows > 1) /* two rows of three look better than four and two */
        cols = (have + rows - 1) / rows < cols ? (have + rows - 1) / rows : cols;
    for (int i = 0; i < have && i < cols * rows; i++) {
        int col = i % cols, line = i / cols;
        int x0 = r.w * col / cols, x1 = r.w * (col + 1) / cols;
        int y0 = r.h * line / rows, y1 = r.h * (line + 1) / rows;
        draw_gpu_graph(c, (struct rect){r.x + x0, r.y + y0, x1 - x0, y1 - y0}, m, g, &list[i]);
    }
}

void gpu_card(struct canvas *c, struct rect r, const struct model *m, int gpu)
{
    const struct gpu *g = &m->snap->gpus->gpu[gpu];
    const struct gpu_now *n = &m->snap->gpus->now[gpu];
    char plain_title[160], title[2 * sizeof plain_title], right[160];
    size_t used = 0;
    snprintf(plain_title, sizeof plain_title, "%d %.80s%s%.20s", gpu, g->name[0] ? g->name : g->id,
             g->isa[0] ? "  " : "", g->isa);
    /* a '_' is doubled, because a single one marks a letter in a title */
    for (const char *p = plain_title; *p; p++) {
        title[used++] = *p;
        if (*p == '_')
            title[used++] = '_';
    }
    title[used] = '\0';
    snprintf(right, sizeof right, "%.32s%s%.60s", g->pci, g->mode[0] && g->pci[0] ? "  " : "",
             g->mode);
    canvas_box(c, r, STYLE(STYLE_BOX_CPU), title, r.w > 60 ? right : NULL);
    struct rect in = {r.x + 2, r.y + 1, r.w - 3, r.h - 2};
    bool graphs = in.w >= 70 && n->gfx_busy.validity == VALUE_OK;
    int w = in.w;
    if (graphs && in.w >= 130)
        w = 54;
    else if (graphs)
        w = in.w >= 100 ? 48 : 44;
    struct card_lines l = {.c = c, .r = {in.x, in.y, w - 1, in.h}, .y = in.y, .g = g, .n = n};
    draw_card_numbers(&l);
    if (graphs)
        draw_gpu_graphs(c, (struct rect){in.x + w, in.y, in.w - w, in.h}, m, g, n);
}
