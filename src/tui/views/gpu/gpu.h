/*
 * The GPUs of the host: a list if there are several, meters and histories of the selected one, and
 * tables of what uses it.
 */
#pragma once

#include "engine/live/gpu_fields.h"
#include "tui/model/view.h"
#include "tui/widgets/table.h"

enum gpu_table { GPU_PROCESSES, GPU_QUEUES, GPU_MEMORIES, GPU_AGENTS, GPU_TABLES };

/* view_state.own: the shown rows of the table. */
struct gpu_state {
    const struct snapshot *s;
    const void **row;
    size_t n, cap;
    int mode;                       /* enum gpu_table */
    struct table_fields columns;    /* of processes */
    const struct list_field *order; /* the field that sorts them */
    bool reverse;
};

/* The selected GPU (st->level), kept within range. */
int gpu_selected(const struct gpus *g, const struct view_state *st);

/* Draws one line per GPU. The selected one is marked, and a click selects one. */
void gpu_list(struct canvas *c, struct rect r, const struct model *m, const struct view_state *st);
/* Draws numbers on the left and graphs on the right. */
void gpu_card(struct canvas *c, struct rect r, const struct model *m, int gpu);

void gpu_table_draw(struct canvas *c, struct rect r, const struct model *m, struct view_state *st);
/* Draws what was searched if no GPU was found, and what would help. */
void gpu_none(struct canvas *c, struct rect r, const struct gpus *g);
