/*
 * Reads a GPU's code object (.hsaco): its instruction set, its kernels with resources and
 * arguments, its variables. Supports AMD GPUs, code object versions 3 to 6, also inside clang
 * offload bundles, compressed or not. It reads in place with src/gpu's readers and keeps the
 * results as rows. Sizes are in bytes; numbers that the compiler did not write are CODE_UNKNOWN.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "gpu/code_note.h"
#include "gpu/isa.h"

enum {
    CODE_KERNELS_MAX = 1 << 16,
    CODE_VARIABLES_MAX = 1 << 16,
    CODE_ARGS_MAX = 4096, /* of a kernel */
};
#define CODE_OBJECT_BYTES_MAX ((size_t)1 << 30)

struct code_arg {
    const char *name, *type_name; /* "" if the compiler wrote none */
    enum code_arg_kind kind;
    const char *kind_name; /* as written, for kinds that are not known here */
    uint32_t offset, size;
    const char *address_space, *access, *actual_access; /* "global"; "" not written */
    uint32_t pointee_align;                             /* CODE_UNKNOWN */
    bool is_const, is_restrict, is_volatile, is_pipe;
};

/* A kernel descriptor: the 64 bytes whose address a dispatch packet has. */
struct code_descriptor {
    uint64_t address, entry; /* of the descriptor and of the first instruction, as linked */
    uint32_t group_size, private_size, kernarg_size;
    uint32_t rsrc1, rsrc2, rsrc3; /* COMPUTE_PGM_RSRC */
    uint16_t properties, preload;
    bool wave32, dynamic_stack;
};

struct code_kernel {
    const char *name;      /* mangled if its language does so: "_Z3addPf" */
    const char *symbol;    /* "_Z3addPf.kd": what hsa_executable_get_symbol is asked for */
    const char *demangled; /* "add(float*)" */
    uint32_t kernarg_size, kernarg_align;
    uint32_t group_size, private_size; /* fixed; a dispatch may ask for more */
    uint32_t wavefront_size, max_flat_workgroup_size;
    uint32_t required_workgroup_size[3];
    uint32_t sgprs, vgprs, agprs, sgpr_spills, vgpr_spills;
    bool dynamic_stack; /* according to the metadata or the descriptor */
    struct code_arg *args;
    uint32_t nargs, nexplicit; /* number of all; of those in the source, which come first */
    bool has_descriptor;       /* its .kd symbol is there and can be read */
    struct code_descriptor descriptor;
    uint64_t code_size; /* size of its function; 0 = unknown */
};

struct code_variable {
    const char *name;
    uint64_t address, size; /* as linked */
    bool global;            /* the runtime finds it by name */
    bool writable;
    const uint8_t *initial; /* size bytes, in the file; NULL: zeroes */
};

struct code_object {
    const char *name;   /* of the file, for messages */
    const uint8_t *elf; /* the object itself, which may lie inside a bundle */
    size_t elf_size;
    unsigned version;            /* of the code object: 3 to 6 */
    char isa[ISA_NAME_BYTES];    /* "amdgcn-amd-amdhsa--gfx942:xnack-" */
    struct code_kernel *kernels; /* in the order of the file */
    uint32_t nkernels;
    struct code_variable *variables; /* sorted by address; without the descriptors of kernels */
    uint32_t nvariables;
    struct arena arena;
    void *owned;       /* the file's bytes if it was opened by path, else NULL */
    uint8_t *unpacked; /* the bytes of a compressed bundle, unpacked; else NULL */
};

/* Reads from memory; bytes must outlive *out. name: for messages. isa: chooses an object of a
 * bundle (the first that runs on it, exact features before open ones); NULL takes the only object
 * and fails if there are several. 0, or -errno with ERROR_INPUT (file, position, reason). Free *out
 * with code_object_free. */
int code_object_read(struct code_object **out, const void *bytes, size_t n, const char *name,
                     const char *isa, struct error *err);
/* Reads a file of at most CODE_OBJECT_BYTES_MAX bytes. */
int code_object_open(struct code_object **out, const char *path, const char *isa,
                     struct error *err);
void code_object_free(struct code_object *c);

/* Finds a kernel by name or symbol, with or without ".kd", mangled or not. A demangled name may
 * lack its parameters if only one kernel then matches. NULL if none or several match. */
const struct code_kernel *code_object_kernel(const struct code_object *c, const char *name);
