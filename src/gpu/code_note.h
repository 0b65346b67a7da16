/*
 * The metadata of a code object, kernel by kernel and argument by argument, in place. Allocates
 * nothing and calls nothing that does: it also runs inside other people's programs. What a compiler
 * did not write is CODE_UNKNOWN, never 0.
 * Facts: LLVM's "User Guide for AMDGPU Backend", Code Object V3 to V6 Metadata.
 */
#ifndef ROOFTOP_GPU_CODE_NOTE_H
#define ROOFTOP_GPU_CODE_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/msgpack.h"

#define CODE_UNKNOWN UINT32_MAX

/* What an argument is (.value_kind). CODE_ARG_OTHER: one that this table does not have. */
enum code_arg_kind {
    CODE_ARG_OTHER,
    CODE_ARG_BY_VALUE,
    CODE_ARG_GLOBAL_BUFFER,
    CODE_ARG_DYNAMIC_SHARED_POINTER,
    CODE_ARG_SAMPLER,
    CODE_ARG_IMAGE,
    CODE_ARG_PIPE,
    CODE_ARG_QUEUE,
    /* hidden: written by the runtime, behind those of the program */
    CODE_ARG_GLOBAL_OFFSET_X,
    CODE_ARG_GLOBAL_OFFSET_Y,
    CODE_ARG_GLOBAL_OFFSET_Z,
    CODE_ARG_NONE,
    CODE_ARG_PRINTF_BUFFER,
    CODE_ARG_HOSTCALL_BUFFER,
    CODE_ARG_DEFAULT_QUEUE,
    CODE_ARG_COMPLETION_ACTION,
    CODE_ARG_MULTIGRID_SYNC,
    CODE_ARG_BLOCK_COUNT_X,
    CODE_ARG_BLOCK_COUNT_Y,
    CODE_ARG_BLOCK_COUNT_Z,
    CODE_ARG_GROUP_SIZE_X,
    CODE_ARG_GROUP_SIZE_Y,
    CODE_ARG_GROUP_SIZE_Z,
    CODE_ARG_REMAINDER_X,
    CODE_ARG_REMAINDER_Y,
    CODE_ARG_REMAINDER_Z,
    CODE_ARG_GRID_DIMS,
    CODE_ARG_HEAP,
    CODE_ARG_DYNAMIC_LDS_SIZE,
    CODE_ARG_PRIVATE_BASE,
    CODE_ARG_SHARED_BASE,
    CODE_ARG_QUEUE_PTR,
    CODE_ARG_KINDS
};

/* What a replay has to do about it. */
enum code_arg_role {
    CODE_ROLE_PROGRAM,   /* the program's own: stays as captured */
    CODE_ROLE_LAUNCH,    /* follows from the dispatch: grid, group, LDS */
    CODE_ROLE_KEPT,      /* hidden, and data: global offsets, which no packet has */
    CODE_ROLE_RUNTIME,   /* an object of the process that was captured: must be rebound */
    CODE_ROLE_NOTHING,   /* room without meaning */
    CODE_ROLE_MYSTERIOUS /* a kind that this table does not have: stays as captured, and is told */
};

struct code_arg_row {
    const char *name; /* as in the metadata */
    enum code_arg_role role;
    unsigned size;    /* bytes; 0: any */
    const char *what; /* a clause, for people */
};
extern const struct code_arg_row code_arg_table[CODE_ARG_KINDS];

struct code_text { /* in place, not terminated; p NULL: not written */
    const char *p;
    uint32_t n;
};

struct code_note { /* a metadata document and a place in it */
    struct msgpack r;
    uint32_t left;           /* kernels */
    struct code_text target; /* "amdgcn-amd-amdhsa--gfx942:xnack-", from version 4 on */
    uint32_t major, minor;   /* amdhsa.version; CODE_UNKNOWN */
};

struct code_note_kernel {
    struct code_text name, symbol, language;
    uint32_t kernarg_size, kernarg_align, group_size, private_size, wavefront_size;
    uint32_t sgprs, vgprs, agprs, sgpr_spills, vgpr_spills, max_flat_workgroup_size;
    uint32_t required_workgroup_size[3]; /* .reqd_workgroup_size */
    bool dynamic_stack, dynamic_stack_known;
    struct msgpack args; /* for code_note_next_arg */
    uint32_t nargs;
};

struct code_note_arg {
    struct code_text name, type_name, kind_name, address_space, access, actual_access;
    enum code_arg_kind kind;
    uint32_t offset, size;
    uint32_t pointee_align; /* CODE_UNKNOWN */
    bool is_const, is_restrict, is_volatile, is_pipe;
};

/* False: not such a document, and n->r.bad says why. bytes must outlive n. */
bool code_note_open(struct code_note *n, const void *bytes, size_t size);
/* False: no more, or (n->r.bad) what follows is wrong. */
bool code_note_next(struct code_note *n, struct code_note_kernel *out);
/* False: no more, or (k->args.bad) what follows is wrong. */
bool code_note_next_arg(struct code_note_kernel *k, struct code_note_arg *out);

bool code_text_is(struct code_text t, const char *text);

/*
 * What a capture needs of a kernel before anything is known of it. kernel: its name or its symbol,
 * with ".kd" or without. Returns the bytes of its arguments, or -1: no such code object or kernel.
 */
int code_kernarg_size(const void *elf, size_t n, const char *kernel);

#endif
