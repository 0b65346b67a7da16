/* Memory that is measured. */
#ifndef ROOFTOP_BACKENDS_ROOFS_ROOF_MEMORY_H
#define ROOFTOP_BACKENDS_ROOFS_ROOF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Huge pages where it is large and the kernel gives them; or the smallest ones, with which walks
 * through the page tables are measured, too. */
enum roof_pages { PAGES_HUGE, PAGES_SMALL };

/* Where memory lies: on the NUMA node of the thread that writes it first, or on a certain one. */
struct roof_place {
    bool on_node;
    uint32_t node;
};
/*
 * Room that has no pages yet: each comes when it is first written. NULL where there is none, or no
 * memory of that node for this process. The caller frees it with roof_memory_free and the same
 * number of bytes.
 */
char *roof_memory_reserve(size_t bytes, enum roof_pages pages, struct roof_place place);
/* The same with all its pages, which are zeros. */
char *roof_memory(size_t bytes, enum roof_pages pages, struct roof_place place);
void roof_memory_free(char *m, size_t bytes); /* NULL allowed */

#endif
