/* The GPUs of the host: a list where there are several, meters and histories of the one that is
 * selected, tables of what uses them. */
#ifndef ROOFTOP_TUI_VIEWS_GPU_GPU_H
#define ROOFTOP_TUI_VIEWS_GPU_GPU_H

#include "engine/live/gpus.h"
#include "tui/model/view.h"

enum gpu_table { GPU_PROCESSES, GPU_QUEUES, GPU_MEMORIES, GPU_AGENTS, GPU_TABLES };

/* st->level: the GPU that is selected; within range. */
int gpu_selected(const struct gpus *g, const struct view_state *st);

/* One line a GPU; in the view the selected one is marked and a click selects. st NULL: neither. */
void gpu_list(struct canvas *c, struct rect r, const struct model *m, const struct view_state *st);
/* Numbers at the left, graphs at the right. */
void gpu_card(struct canvas *c, struct rect r, const struct model *m, int gpu);
/* "78 °C", "n/a": the hottest that is known of it. */
struct value gpu_temperature(const struct gpu_now *n);
/* Used of all, %. */
struct value gpu_memory_share(const struct gpu *g, const struct gpu_now *n);

void gpu_table_draw(struct canvas *c, struct rect r, const struct model *m, struct view_state *st);
extern const char *const gpu_sorts[];
extern const struct query_field gpu_fields[]; /* rows: struct gpu_process */
/* Nothing was found: what was looked for, and what would help. */
void gpu_none(struct canvas *c, struct rect r, const struct gpus *g);

#endif
