/*
 * Where functions begin and end in a file without symbols: the index of its unwind information
 * (.eh_frame_hdr), which strip leaves in place. So samples of a nameless function are one row, not
 * one for each instruction.
 */
#ifndef ROOFTOP_BACKENDS_UNWIND_EH_INDEX_H
#define ROOFTOP_BACKENDS_UNWIND_EH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eh_index;

/* NULL where the file cannot be read, has no index, or one in a form that linkers do not write. */
struct eh_index *eh_index_open(const char *path);
void eh_index_free(struct eh_index *x); /* NULL allowed */
/* The function that holds address (of the file's own address space). */
bool eh_index_find(const struct eh_index *x, uint64_t address, uint64_t *start, uint64_t *size);
size_t eh_index_bytes(const struct eh_index *x); /* held; 0 for NULL */

#endif
