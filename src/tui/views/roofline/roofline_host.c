/* The roofs of this host while no brick tells its work, and what counters say of the program. */
#include <math.h>
#include <stdio.h>

#include "tui/views/roofline/roofline.h"
#include "tui/widgets/wrap.h"

enum { TEXT_ROWS = 4, CURVE_LEAST = 9, BESIDE_FROM = 112 };

static void tell_work(const struct watched_work *w, bool host, bool ascii, char *out, size_t size)
{
    char flops[VALUE_TEXT_MAX], bytes[VALUE_TEXT_MAX];
    const char *whose = host ? "This host" : "The watched program";
    if (w->intensity > 0)
        snprintf(out, size,
                 "%s counted now: %s of %s, %s of DRAM by the whole host: %.3g FLOP/byte, if "
                 "nothing else uses memory.",
                 ascii ? "#" : "◆", roofline_number(w->flops, UNIT_FLOP_PER_S, ascii, flops),
                 host ? "this host" : "the watched program",
                 roofline_number(w->bytes, UNIT_BYTES_PER_S, ascii, bytes), w->intensity);
    else if (w->why)
        snprintf(out, size, "%s has no point: %s n/a: %.200s.", whose, w->which, w->why);
    else
        snprintf(out, size, "%s has no point: it did no counted FLOPs just now.", whose);
}

void roofline_host(struct canvas *c, struct rect r, const struct model *m, struct view_state *st)
{
    struct roofline_shown *shown = st->own;
    char text[400];
    const bool whole = m->snap && m->snap->target_kind == TARGET_HOST;
    shown->alone = (struct roofline){.roofs = (struct roof *)&shown->host->roof, .nroofs = 1};
    shown->r = &shown->alone;
    shown->g = NULL;
    shown->t = NULL;
    shown->counters = false;
    shown->n = 0;
    shown->mode = shown->level = 0;
    shown->loaded = st->level == 1;
    st->mode = 0;
    tell_work(&shown->work, whole, c->ascii, text, sizeof text);
    int rows = wrap_draw(c, (struct rect){r.x, r.y, r.w, TEXT_ROWS}, text, STYLE(STYLE_TEXT));
    rows += wrap_draw(c, (struct rect){r.x, r.y + rows, r.w, 2},
                      "l: DRAM under load   Bricks that tell their work "
                      "(rooftop_stop_work) get points.",
                      STYLE(STYLE_DIM));
    struct rect plot = {r.x, r.y + rows, r.w, r.h - rows}, load = plot;
    if (shown->loaded) {
        roofline_load(c, plot, st);
        return;
    }
    if (r.w >= BESIDE_FROM) {
        plot.w = r.w / 2 - 1;
        load.x += plot.w + 2;
        load.w = r.w - plot.w - 2;
    } else if (plot.h >= 3 * CURVE_LEAST) {
        plot.h = plot.h * 3 / 5;
        load.y += plot.h + 1;
        load.h -= plot.h + 1;
    } else {
        load.h = 0;
    }
    roofline_plot(c, plot, st);
    if (load.h)
        roofline_load(c, load, st);
}
