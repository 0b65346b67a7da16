/* Memory that is measured, written once. */
#ifndef ROOFTOP_BACKENDS_ROOFS_ROOF_MEMORY_H
#define ROOFTOP_BACKENDS_ROOFS_ROOF_MEMORY_H

#include <stddef.h>

/* Huge pages where it is large and the kernel gives them; or the smallest ones, with which walks
 * through the page tables are measured, too. */
enum roof_pages { PAGES_HUGE, PAGES_SMALL };

/*
 * Pages that were only read are all the same one, of zeros, so all of it is written. It lies on the
 * NUMA node of the calling thread. NULL where there is no memory. The caller frees it with
 * roof_memory_free and the same number of bytes.
 */
char *roof_memory(size_t bytes, enum roof_pages pages);
void roof_memory_free(char *m, size_t bytes); /* NULL allowed */

#endif
