/*
 * Reads and writes the buffer of a kernel's arguments, by the metadata of its code object. A
 * captured buffer holds pointers and numbers of the program, and hidden slots. Some of these follow
 * from the dispatch; others are objects of a process that no longer exists.
 */
#pragma once

#include "base/arena.h"
#include "engine/capture/memory_type.h"
#include "engine/code/code_object.h"

struct kernarg_region { /* a captured region of memory */
    uint64_t base, size;
};

enum kernarg_type {
    KERNARG_POINTER,
    KERNARG_NUMBER,  /* a number of type .element */
    KERNARG_BYTES,   /* a struct by value, or a number of unknown type */
    KERNARG_MISSING, /* the buffer ends before it */
};

struct kernarg_slot {
    const struct code_arg *arg; /* borrowed from the code object */
    enum code_arg_role role;
    enum kernarg_type type;
    const char *c_type; /* as in the source: "float const*"; "" = unknown */
    /* if element_known: the type of a number, or of what a pointer points to */
    enum memory_type element;
    bool element_known;
    uint64_t bits;        /* value of a pointer, or of a number of at most 8 bytes */
    const uint8_t *bytes; /* arg->size bytes, in the buffer; NULL if missing */
    /* pointers: index of the captured region that it points into (or to the end of); -1 = none */
    int region;
    uint64_t region_offset;
};

struct kernarg {
    const struct code_kernel *kernel;
    struct kernarg_slot *slots; /* one for each argument of the kernel */
    uint32_t n;
    struct arena arena;
};

/* Decodes a buffer of arguments. buffer and k must outlive *out. Types come from the metadata, else
 * from the parameters in the kernel's mangled name. Slots beyond `size` are KERNARG_MISSING. Free
 * *out with kernarg_free. */
void kernarg_decode(struct kernarg *out, const struct code_kernel *k, const void *buffer,
                    size_t size, const struct kernarg_region *regions, size_t nregions);
void kernarg_free(struct kernarg *a);
/* Writes a slot for people: "0x7f0000001000 (region 2 + 0x1000)", "-7", "0x3f800000 (1065353216 or
 * 1)" if the type is unknown, "{00 01 ff}" for structs. Returns out. */
const char *kernarg_format(const struct kernarg_slot *s, char *out, size_t size);

/* --- hidden arguments, for a new dispatch --- */

struct kernarg_dispatch {        /* fields of the AQL packet */
    uint16_t dimensions;         /* 1, 2 or 3 */
    uint32_t grid[3];            /* work-items */
    uint16_t group[3];           /* work-items in a work-group */
    uint32_t group_segment_size; /* bytes of LDS, static and dynamic together */
};

/* Objects of the process that replays; 0: it has none. */
struct kernarg_runtime {
    uint64_t queue; /* the hsa_queue_t */
    uint64_t printf_buffer, hostcall_buffer, heap, default_queue, completion_action, multigrid_sync;
    uint32_t shared_base, private_base; /* upper halves of the aperture addresses */
};

struct kernarg_rebound {
    uint32_t launch; /* number of slots computed from the dispatch */
    uint32_t bound;  /* number of slots that got an object of this process */
    uint32_t kept;   /* number of hidden slots that were left as they were */
    uint32_t empty;  /* number of slots set to 0, because this process has no such object */
    /* kinds of the slots set to 0, as bits 1 << kind: the kernel must not use them (hostcalls,
     * device malloc, ...) */
    uint64_t empty_kinds;
    uint32_t mysterious; /* number of slots of unknown kind, left as captured */
};

/* Writes the hidden slots of the buffer for dispatch d: those computed from d, and those that refer
 * to objects of the runtime. Arguments of the program, and global offsets, are left. -EINVAL with
 * err: the buffer is too short for a slot, a slot has an unexpected size, or d is invalid (a size
 * of 0, more than 3 dimensions, less LDS than k needs). */
int kernarg_rebind(const struct code_kernel *k, const struct kernarg_dispatch *d,
                   const struct kernarg_runtime *r, void *buffer, size_t size,
                   struct kernarg_rebound *out, struct error *err);

/* Converts arguments captured with build `a` of a kernel for build `b`. The arguments of the
 * program must agree in number, kinds and sizes; each is moved to its offset in `b`. Hidden
 * arguments of both builds are copied by kind; other hidden ones are 0 until kernarg_rebind. `to`
 * has to_size bytes, at least what `b` needs. -EINVAL with err that names the first argument that
 * differs. */
int kernarg_adopt(const struct code_kernel *a, const void *from, size_t from_size,
                  const struct code_kernel *b, void *to, size_t to_size, struct error *err);
