/*
 * Finds the start and end of functions in a file without symbols, through the index of its unwind
 * information (.eh_frame_hdr), which strip keeps. All samples of a nameless function are then one
 * row, not one for each instruction.
 */
#ifndef ROOFTOP_BACKENDS_UNWIND_EH_INDEX_H
#define ROOFTOP_BACKENDS_UNWIND_EH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eh_index;

/*
 * NULL where the file cannot be read, has no index, or has one in a form that linkers do not write.
 */
struct eh_index *eh_index_open(const char *path);
void eh_index_free(struct eh_index *x); /* NULL is allowed */
/* Finds the function that holds address (in the file's own address space). */
bool eh_index_find(const struct eh_index *x, uint64_t address, uint64_t *start, uint64_t *size);
size_t eh_index_bytes(const struct eh_index *x); /* memory used; 0 for NULL */

#endif
