/* The parts of a profile's critical path, and the result of ":what-if". */
#include <stdio.h>
#include <string.h>

#include "engine/analysis/analysis.h"
#include "engine/trace/trace_align.h"
#include "tui/views/path/path.h"
#include "tui/views/tree/tree.h"
#include "tui/widgets/path_mix.h"

enum { BAR_FROM = 100, BAR_LEAST = 16, BAR_MOST = 40, LABELS_FROM = 150 };

static void draw_share_parts(struct canvas *c, struct rect r, const struct path_shares *s)
{
    char text[64];
    int x = r.x, end = r.x + r.w, last = PATH_PARTS - 1;
    while (last > 0 && s->all.ns[last] == 0)
        last--;
    if (r.w >= BAR_FROM) {
        const int bar = r.w < LABELS_FROM ? BAR_LEAST : BAR_MOST;
        path_mix_draw(c, (struct rect){x, r.y, bar, 1}, &s->all);
        x += bar + 2;
    }
    for (int i = 0; i < PATH_PARTS && x < end; i++) {
        if (s->all.ns[i] == 0)
            continue;
        snprintf(text, sizeof text, "%s %.1f %%",
                 r.w < LABELS_FROM ? path_part_name((enum path_part)i)
                                   : path_part_label((enum path_part)i),
                 s->all.share[i] / (PATH_WHOLE / 100.0));
        /* a mark without its words would say nothing; behind it the "…" has room */
        const int more = i < last ? (int)strlen("  .") : 0;
        if (x + 2 + text_width(text) + more > end) {
            canvas_text(c, x, r.y, 1, "…", STYLE(STYLE_DIM));
            return;
        }
        canvas_put(c, x, r.y, path_mix_glyph(c, i), path_mix_style(i));
        x += 2 + canvas_text(c, x + 2, r.y, end - x - 2, text, STYLE(STYLE_TEXT)) + 2;
    }
    if (s->inferred)
        canvas_printf(c, x, r.y, end - x, STYLE(STYLE_WARN), "%u inferred", s->inferred);
}

static void draw_what_if(struct canvas *c, struct rect r, const struct graph *g,
                         const struct what_if *w, const char *asked)
{
    char after[VALUE_TEXT_MAX], by[VALUE_TEXT_MAX];
    bool longer = w->after > w->before;
    uint64_t change = longer ? w->after - w->before : w->before - w->after;
    int x = r.x, end = r.x + r.w, name = r.w > 150 ? 60 : r.w / 3;
    value_time((double)w->after, c->ascii, after);
    value_time((double)change, c->ascii, by);
    x += canvas_text(c, x, r.y, end - x, "what if ", STYLE(STYLE_DIM));
    x += canvas_text(c, x, r.y, name < end - x ? name : end - x, asked, STYLE(STYLE_TITLE));
    x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_OK), " · path %s, %s %s (%.1f %%)", after,
                       by, longer ? "more" : "less",
                       w->before ? 100.0 * (double)change / (double)w->before : 0);
    if (w->shares.nnames)
        canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), " · then most: %s %.1f %%",
                      graph_text(g, w->shares.names[0].name), 100 * w->shares.names[0].weight);
}

int path_shares(struct canvas *c, struct rect r, const struct model *m,
                const struct path_what_if *w)
{
    const struct what_if *found = path_what_if_now(w, m->profile);
    if (!m->profile || m->profile->shares.all.total == 0 || r.h < 12)
        return 0;
    draw_share_parts(c, r, &m->profile->shares);
    if (!found)
        return 1;
    r.y++;
    draw_what_if(c, r, m->profile->trace.calls, found, w->asked);
    return 2;
}

int path_files(struct canvas *c, struct rect r, const struct trace *t)
{
    uint8_t how = TRACE_SAME_CLOCK; /* the least certain method of all files */
    uint64_t by = 0;
    char number[VALUE_TEXT_MAX];
    for (uint32_t i = 1; i < t->nfiles; i++) {
        how = t->files[i].how > how ? t->files[i].how : how;
        if (t->files[i].uncertainty_ns != GRAPH_UNKNOWN && t->files[i].uncertainty_ns > by)
            by = t->files[i].uncertainty_ns;
    }
    int x = canvas_printf(c, r.x, r.y, r.w, STYLE(how >= TRACE_CLOSE ? STYLE_WARN : STYLE_DIM),
                          " · %u files, %s", t->nfiles, trace_how_text((enum trace_how)how));
    if (by)
        x += canvas_printf(c, r.x + x, r.y, r.w - x, STYLE(STYLE_DIM), " %s %s",
                           c->ascii ? "+-" : "±", value_time((double)by, c->ascii, number));
    return x;
}

void path_gain(const struct analysis *profile, const struct brick_span *s, bool apart,
               char text[TABLE_CELL_MAX])
{
    char number[VALUE_TEXT_MAX];
    text[0] = '\0';
    for (uint32_t i = 0; profile && !apart && i < profile->nbest; i++) {
        const struct path_name *n = &profile->shares.names[profile->best[i].row];
        if (n->kind == s->kind && strcmp(graph_text(profile->trace.calls, n->name), s->name) == 0)
            snprintf(text, TABLE_CELL_MAX, "%s",
                     value_time((double)profile->best[i].gain, false, number));
    }
}
