/*
 * Reads and writes the buffer of a kernel's arguments, by the metadata of its code object. A
 * captured buffer holds pointers and numbers of the program, and hidden slots. Some of these follow
 * from the dispatch; others are objects of a process that no longer exists.
 */
#ifndef ROOFTOP_ENGINE_CAPTURE_KERNARG_H
#define ROOFTOP_ENGINE_CAPTURE_KERNARG_H

#include "base/arena.h"
#include "engine/code/code_object.h"
#include "engine/capture/memory_type.h"

struct kernarg_region { /* memory that was captured */
    uint64_t base, size;
};

enum kernarg_type {
    KERNARG_POINTER,
    KERNARG_NUMBER,  /* of .element */
    KERNARG_BYTES,   /* a struct by value, or a number whose type nobody wrote */
    KERNARG_MISSING, /* the buffer is too short for it */
};

struct kernarg_slot {
    const struct code_arg *arg; /* borrowed from the code object */
    enum code_arg_role role;
    enum kernarg_type type;
    const char *c_type; /* as the source has it: "float const*"; "" not known */
    /* of a number: its type; of a pointer: of what it points to, where element_known */
    enum memory_type element;
    bool element_known;
    uint64_t bits;        /* pointers and numbers of 8 bytes at most */
    const uint8_t *bytes; /* arg->size of them, in the buffer; NULL where missing */
    /* pointers: the captured region it points into (or to the end of); -1 none */
    int region;
    uint64_t region_offset;
};

struct kernarg {
    const struct code_kernel *kernel;
    struct kernarg_slot *slots; /* as the kernel's args */
    uint32_t n;
    struct arena arena;
};

/*
 * What is in buffer, which must outlive *out, as must k. Types of arguments come from the metadata,
 * else from the parameters in the kernel's mangled name. size may be smaller than the kernel wants:
 * slots beyond it are KERNARG_MISSING. Free with kernarg_free.
 */
void kernarg_decode(struct kernarg *out, const struct code_kernel *k, const void *buffer,
                    size_t size, const struct kernarg_region *regions, size_t nregions);
void kernarg_free(struct kernarg *a);
/*
 * A slot as people read it: "0x7f0000001000 (region 2 + 0x1000)", "-7", "0x3f800000 (1065353216 or
 * 1)" where the type is not known, "{00 01 ff}" of structs. Returns out.
 */
const char *kernarg_format(const struct kernarg_slot *s, char *out, size_t size);

/* --- the hidden slots, for a dispatch that is to come --- */

struct kernarg_dispatch {        /* as in the AQL packet */
    uint16_t dimensions;         /* 1 to 3 */
    uint32_t grid[3];            /* work-items */
    uint16_t group[3];           /* work-items of a work-group */
    uint32_t group_segment_size; /* LDS, fixed and dynamic together */
};

/* Objects of the process that replays; 0: it has none. */
struct kernarg_runtime {
    uint64_t queue; /* the hsa_queue_t */
    uint64_t printf_buffer, hostcall_buffer, heap, default_queue, completion_action, multigrid_sync;
    uint32_t shared_base, private_base; /* the upper halves of their apertures' addresses */
};

struct kernarg_rebound {
    uint32_t launch; /* slots that were computed from the dispatch */
    uint32_t bound;  /* slots that got an object of this process */
    uint32_t kept;   /* hidden slots that stay as they were */
    uint32_t empty;  /* slots whose object does not exist here; they are set to 0 */
    /* Their kinds, bit 1 << kind: what the kernel must not use: hostcalls, device malloc ... */
    uint64_t empty_kinds;
    uint32_t mysterious; /* slots of unknown kinds; they stay as captured */
};

/*
 * Writes the hidden slots of buffer for dispatch d: those that follow from d, and those that belong
 * to the runtime. Arguments of the program, and global offsets, stay. -EINVAL with err: the buffer
 * is too short for a slot, a slot has not its size, or d is no dispatch (a size of 0, more than 3
 * dimensions, less LDS than k needs).
 */
int kernarg_rebind(const struct code_kernel *k, const struct kernarg_dispatch *d,
                   const struct kernarg_runtime *r, void *buffer, size_t size,
                   struct kernarg_rebound *out, struct error *err);

/*
 * Arguments captured with one build of a kernel, for another build of it: those of the program must
 * be as many, of the same kinds and sizes, each at its own place; hidden ones that both have are
 * taken over by kind, the others are 0 until kernarg_rebind. to: to_size bytes, at least what `b`
 * needs. -EINVAL with err where they differ, naming the first that does.
 */
int kernarg_adopt(const struct code_kernel *a, const void *from, size_t from_size,
                  const struct code_kernel *b, void *to, size_t to_size, struct error *err);

#endif
