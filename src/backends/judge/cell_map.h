/* How a cell maps the memory that it shares with its parent. */
#ifndef ROOFTOP_BACKENDS_JUDGE_CELL_MAP_H
#define ROOFTOP_BACKENDS_JUDGE_CELL_MAP_H

#include "backends/judge/cell_memory.h"

/*
 * Maps the buffers of the first places of the file `fd` at `base`, where nothing but reserved
 * addresses is, each at its place in the layout. Inputs can only be read. What stands between the
 * buffers, and all other places, cannot be touched. 0 or -errno.
 */
int cell_map(char *base, const struct cell_layout *l, int fd, size_t places);

/*
 * The two ways to do that; cell_map takes the first, and the second where the kernel lacks it.
 * Guarded (Linux 6.13, for files 6.15): two mappings, inputs and outputs, and marks on the pages
 * between the buffers. Singly: a mapping for each buffer, which takes several times as long.
 */
int cell_map_guarded(char *base, const struct cell_layout *l, int fd, size_t places);
int cell_map_singly(char *base, const struct cell_layout *l, int fd, size_t places);

#endif
