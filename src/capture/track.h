/*
 * The memory that kernels can access: what the program allocated from the runtime's pools, and what
 * it mapped into virtual memory. The hooks report changes; a capture lists it.
 */
#ifndef ROOFTOP_CAPTURE_TRACK_H
#define ROOFTOP_CAPTURE_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/calls.h"
#include "capture/writer/writer.h"

void track_allocated(uint64_t pool, const void *memory, uint64_t size);
void track_freed(const void *memory);
/* The program's own memory, which the GPU sees at `seen`. It may be locked several times. */
void track_locked(const void *own, const void *seen, uint64_t size);
void track_unlocked(const void *own);
void track_reserved(const void *va, uint64_t size);
void track_unreserved(const void *va);
void track_created(uint64_t handle, uint64_t pool, uint64_t size);
void track_released(uint64_t handle);
void track_mapped(const void *va, uint64_t size, uint64_t handle);
void track_unmapped(const void *va, uint64_t size);
void track_access(const void *va, uint64_t size, const struct call_vmem_access *access, size_t n);
void track_reset(void);

/* How a region is read. */
struct track_source {
    uint64_t base, size;
    enum { READ_HERE, READ_COPIED, READ_NOT } how;
    uint64_t agent; /* READ_COPIED: the GPU that owns it */
};

/*
 * All memory, sorted, without overlaps, for the capture of a dispatch whose arguments are at
 * kernarg. track_list_free frees it.
 */
struct track_list {
    struct writer_region *regions;
    struct track_source *sources;
    size_t n, room;
    uint64_t bytes;
};
bool track_list(struct track_list *out, uint64_t kernarg);
void track_list_free(struct track_list *l);
/* The region that an address is in; NULL: none. */
const struct track_source *track_source(const struct track_list *l, uint64_t address);

#endif
