#include "tui/views/gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>

#include "tui/widgets/table.h"

int gpu_selected(const struct gpus *g, const struct view_state *st)
{
    int n = (int)g->n;
    if (st->level < 0 || n == 0)
        return 0;
    return st->level >= n ? n - 1 : st->level;
}

/* Available before the first sample too, because the user may ask for this view at the start. */
static bool gpu_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    return m->snap && m->snap->gpus && m->snap->gpus->n;
}

/* Divides the rows between the list and the card; the table gets the rest. */
static void divide_gpu_rows(struct rect area, int n, struct rect *list, struct rect *card,
                            struct rect *table)
{
    int y = area.y, left = area.h, most = area.h / 4;
    int rows = n < most ? n : most;
    rows = n > 1 ? rows : 0;
    *list = (struct rect){area.x, y, area.w, rows > 0 ? rows + 2 : 0};
    y += list->h;
    left -= list->h;
    int want = left - 8;
    if (area.h >= 44)
        want = 20;
    else if (area.h >= 34)
        want = 17;
    else if (area.h >= 28)
        want = 13;
    want = want > left - 6 ? left - 6 : want;
    if (want < 6)
        want = left >= 9 ? 6 : left;
    *card = (struct rect){area.x, y, area.w, want};
    *table = (struct rect){area.x, y + want, area.w, left - want};
}

static void draw_gpu(struct canvas *c, struct rect area, const struct model *m,
                     struct view_state *st)
{
    struct rect list, card, table;
    char title[64];
    const struct gpus *g = m->snap ? m->snap->gpus : NULL;
    st->rows = 0;
    st->list = (struct rect){0};
    if (!g) {
        canvas_text(c, area.x + 2, area.y + 1, area.w - 4,
                    m->snap ? "This recording has no GPUs in it." : "…", STYLE(STYLE_DIM));
        return;
    }
    if (g->n == 0) {
        gpu_none(c, area, g);
        return;
    }
    if (st->point > 0) /* a click on the list */
        st->level = st->point - 1;
    st->point = 0;
    st->mode = st->mode < 0 || st->mode >= GPU_TABLES ? GPU_PROCESSES : st->mode;
    divide_gpu_rows(area, (int)g->n, &list, &card, &table);
    if (list.h) {
        snprintf(title, sizeof title, "gpus%s", g->emulated ? " (EMULATED)" : "");
        canvas_box(c, list, STYLE(STYLE_BOX_NET), title, NULL);
        gpu_list(c, (struct rect){list.x + 2, list.y + 1, list.w - 4, list.h - 2}, m, st);
    }
    gpu_card(c, card, m, gpu_selected(g, st));
    gpu_table_draw(c, table, m, st);
}

static enum view_result select_gpu(const struct model *m, struct view_state *st, int to)
{
    int n = m->snap && m->snap->gpus ? (int)m->snap->gpus->n : 0;
    if (n == 0)
        return VIEW_IGNORED;
    st->level = ((to % n) + n) % n;
    if (st->mode != GPU_PROCESSES) { /* the other GPU has other rows, so the cursor starts again */
        st->selected = st->scroll = 0;
        st->selected_key[0] = '\0';
    }
    return VIEW_HANDLED;
}

static enum view_result act_in_gpu(enum action a, const struct model *m, struct view_state *st)
{
    switch (a) {
    case ACTION_GPU_NEXT:
        return select_gpu(m, st, st->level + 1);
    case ACTION_GPU_PREV:
        return select_gpu(m, st, st->level - 1);
    case ACTION_GPU_TABLE:
        st->mode = (st->mode + 1) % GPU_TABLES;
        st->selected = st->scroll = 0;
        st->selected_key[0] = '\0';
        return VIEW_HANDLED;
    default:
        return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    }
}

static bool gpu_takes(enum action a, const struct model *m, const struct view_state *st)
{
    const size_t n = m->snap && m->snap->gpus ? m->snap->gpus->n : 0;
    (void)st;
    return n > (a == ACTION_GPU_NEXT || a == ACTION_GPU_PREV);
}

static void free_gpu(void *own)
{
    free(((struct gpu_state *)own)->row);
}

const struct view_ops view_gpu = {
    .name = "gpu",
    .title = "gpu",
    .select = ACTION_VIEW_GPU,
    .contexts = CONTEXT_LIST | CONTEXT_GPU,
    .available = gpu_available,
    .own_size = sizeof(struct gpu_state),
    .end = free_gpu,
    .draw = draw_gpu,
    .act = act_in_gpu,
    .takes = gpu_takes,
    .fields = gpu_fields,
};
