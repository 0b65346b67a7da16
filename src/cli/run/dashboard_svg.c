/* The SVG picture of a view: of what it shows where there is a document of it, else the screen. */
#include <string.h>

#include "cli/run/run_impl.h"
#include "engine/functions/hot_profile.h"
#include "engine/roofline/roofline_open.h"
#include "export/graph/graph_export.h"
#include "export/path/path_export.h"
#include "export/roofline_export.h"
#include "export/stacks/export_flame.h"
#include "export/timeline_export.h"
#include "tui/canvas/render.h"
#include "tui/model/view.h"

/* A picture returns 1 where there is nothing to draw it from. */
static int draw_tree_svg(FILE *out, const struct screen *s, struct error *err)
{
    const struct snapshot *shown = app_shown(s->app);
    const struct graph *g = shown && shown->bricks ? shown->bricks->tree : NULL;
    const struct graph_export_options how = {.root = GRAPH_NONE,
                                             .trace = s->profile ? &s->profile->trace : NULL};
    if (s->profile)
        g = s->profile->trace.sums;
    return g ? graph_export_write(graph_export_find("svg"), out, g, &how, err) : 1;
}

static int draw_timeline_svg(FILE *out, const struct screen *s, struct error *err)
{
    const struct timeline *t = s->profile ? analysis_timeline(s->profile) : NULL;
    (void)err;
    if (!t || t->nspans == 0)
        return 1;
    timeline_export_svg(out,
                        &(struct timeline_export){
                            .t = t, .trace = &s->profile->trace, .from = t->from, .to = t->to});
    return 0;
}

static int draw_path_svg(FILE *out, const struct screen *s, struct error *err)
{
    (void)err;
    if (!s->profile)
        return 1;
    path_export_svg(out, &(struct path_document){.trace = &s->profile->trace,
                                                 .path = &s->profile->path,
                                                 .shares = &s->profile->shares,
                                                 .best = s->profile->best,
                                                 .nbest = s->profile->nbest});
    return 0;
}

static int draw_roofline_svg(FILE *out, const struct screen *s, struct error *err)
{
    struct arena memory = {0};
    struct roofline r;
    if (!s->profile)
        return 1;
    const int rc = roofline_open(&r, &memory, &s->profile->trace, s->profile->roofs, err);
    if (rc == 0)
        roofline_export_svg(out, &(struct roofline_doc){.r = &r, .t = &s->profile->trace});
    arena_free(&memory);
    return rc;
}

/* An opened file is drawn with all its samples, a running program with those of the shown interval.
 */
static int draw_flame_svg(FILE *out, const struct screen *s, struct error *err)
{
    const struct snapshot *shown = app_shown(s->app);
    const struct hot_stacks *p = shown ? shown->stacks : NULL;
    (void)err;
    if (s->profile && s->profile->trace.samples)
        p = &s->profile->trace.samples->stacks;
    if (!p || p->nnodes == 0)
        return 1;
    export_flame(out, p);
    return 0;
}

static const struct {
    const char *view;
    int (*draw)(FILE *out, const struct screen *s, struct error *err);
} pictures[] = {{"tree", draw_tree_svg},
                {"timeline", draw_timeline_svg},
                {"path", draw_path_svg},
                {"roofline", draw_roofline_svg},
                {"functions", draw_flame_svg}};

int dashboard_svg(FILE *out, struct screen *s, struct error *err)
{
    const char *view = views[app_view(s->app)]->name;
    int rc = 1;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && rc > 0; i++)
        if (strcmp(pictures[i].view, view) == 0)
            rc = pictures[i].draw(out, s, err);
    if (rc <= 0)
        return rc;
    rc = render_svg(out, &s->canvas, s->theme);
    return rc == 0
               ? 0
               : error_set(err, ERROR_INTERNAL, -rc, NULL, "draw the picture", "%s", strerror(-rc));
}
