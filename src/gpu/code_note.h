/*
 * Reads the metadata of a code object, kernel by kernel and argument by argument, in place.
 * Allocates nothing and calls nothing that does, because it also runs inside other programs. A
 * number that the compiler did not write is CODE_UNKNOWN, never 0.
 * Source: LLVM's "User Guide for AMDGPU Backend", Code Object V3 to V6 Metadata.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/msgpack.h"

#define CODE_UNKNOWN UINT32_MAX

/* The kind of an argument (.value_kind). CODE_ARG_OTHER: a kind that is not in this table. */
enum code_arg_kind {
    CODE_ARG_OTHER,
    CODE_ARG_BY_VALUE,
    CODE_ARG_GLOBAL_BUFFER,
    CODE_ARG_DYNAMIC_SHARED_POINTER,
    CODE_ARG_SAMPLER,
    CODE_ARG_IMAGE,
    CODE_ARG_PIPE,
    CODE_ARG_QUEUE,
    /* hidden arguments: the runtime writes them after the program's own */
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

/* How a replay treats an argument. */
enum code_arg_role {
    CODE_ROLE_PROGRAM,   /* the program's own: kept as captured */
    CODE_ROLE_LAUNCH,    /* computed from the dispatch: grid, group, LDS */
    CODE_ROLE_KEPT,      /* hidden data: global offsets, which no packet holds */
    CODE_ROLE_RUNTIME,   /* an object of the captured process: must be replaced */
    CODE_ROLE_NOTHING,   /* space without meaning */
    CODE_ROLE_MYSTERIOUS /* a kind that is not in this table: kept as captured, and reported */
};

struct code_arg_row {
    const char *name; /* as in the metadata */
    enum code_arg_role role;
    unsigned size;    /* bytes; 0: any size */
    const char *what; /* for people, a clause */
};
extern const struct code_arg_row code_arg_table[CODE_ARG_KINDS];

struct code_text { /* in place, not terminated; p NULL: absent */
    const char *p;
    uint32_t n;
};

struct code_note { /* a metadata document and a position in it */
    struct msgpack r;
    uint32_t left;           /* kernels that remain */
    struct code_text target; /* "amdgcn-amd-amdhsa--gfx942:xnack-", from version 4 on */
    uint32_t major, minor;   /* amdhsa.version, or CODE_UNKNOWN */
};

struct code_note_kernel {
    struct code_text name, symbol, language;
    uint32_t kernarg_size, kernarg_align, group_size, private_size, wavefront_size;
    uint32_t sgprs, vgprs, agprs, sgpr_spills, vgpr_spills, max_flat_workgroup_size;
    uint32_t required_workgroup_size[3]; /* .reqd_workgroup_size */
    bool dynamic_stack, dynamic_stack_known;
    struct msgpack args; /* read them with code_note_next_arg */
    uint32_t nargs;
};

struct code_note_arg {
    struct code_text name, type_name, kind_name, address_space, access, actual_access;
    enum code_arg_kind kind;
    uint32_t offset, size;
    uint32_t pointee_align; /* or CODE_UNKNOWN */
    bool is_const, is_restrict, is_volatile, is_pipe;
};

/* Opens the metadata. False: not such a document, n->r.bad says why. bytes must outlive n. */
bool code_note_open(struct code_note *n, const void *bytes, size_t size);
/* Reads the next kernel. False: no more, or an error (n->r.bad). */
bool code_note_next(struct code_note *n, struct code_note_kernel *out);
/* Reads the next argument. False: no more, or an error (k->args.bad). */
bool code_note_next_arg(struct code_note_kernel *k, struct code_note_arg *out);

bool code_text_is(struct code_text t, const char *text);
