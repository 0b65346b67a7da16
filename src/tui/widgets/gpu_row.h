/* A GPU in one line: how busy it is, its memory, power, temperature and clock. */
#pragma once

#include "engine/live/gpu_fields.h"
#include "tui/model/view.h"

/* Draws GPU i of the snapshot in the first line of r. */
void gpu_row_draw(struct canvas *c, struct rect r, const struct model *m, int i, bool selected);
/* The highest known temperature of the GPU: "78 °C", "n/a". */
struct value gpu_temperature(const struct gpu_now *n);
/* Used memory in percent of all. */
struct value gpu_memory_share(const struct gpu *g, const struct gpu_now *n);
