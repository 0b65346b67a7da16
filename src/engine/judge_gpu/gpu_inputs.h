/*
 * Which memory of a capture may get fresh values, so that a launch's answer cannot be known before.
 * An array is an input by proof: an argument of the kernel points to it, and the baseline does not
 * change its region. Its values are real numbers: by the kernel's mangled name, or else by their
 * looks (all are 0 or have sizes from 2^-40 to 2^40, one at least is not 0). Fresh ones have the
 * sign and at most the size of the captured ones, so that a value that is used as an index stays in
 * bounds; an array in order is scaled as a whole, which keeps its order; 0 stays 0. Anything else
 * gets fresh values only if a person says what it is (`--vary`).
 */
#pragma once

#include "engine/capture/capture.h"
#include "engine/capture/memory_type.h"
#include "engine/code/code_object.h"

enum { GPU_INPUTS = 32 };

struct gpu_input {
    uint32_t argument;     /* from 0 */
    size_t region;         /* of the capture */
    uint64_t offset, size; /* bytes in it: from where the argument points to the region's end, or
                              to where the next argument points */
    enum memory_type type;
    bool typed; /* by the mangled name or by a person; else its looks decide */
    bool said;  /* by a person: it may also be whole numbers, and be changed by the kernel */
};

struct gpu_inputs {
    struct gpu_input input[GPU_INPUTS];
    size_t n;
};

/*
 * The arrays that the arguments point to. vary: "NAME=TYPE,..." with names or numbers of arguments,
 * "none", or NULL. 0, or -errno with ERROR_USAGE for a wrong `vary`.
 */
int gpu_inputs_find(struct gpu_inputs *out, const struct capture *c, const struct code_object *code,
                    const char *vary, struct error *err);
/*
 * Whether the array may be varied, from its captured bytes; decides an unknown type: `wanted`, or
 * f32 or f64 where that is MEMORY_TYPES. Not for arrays in regions that the baseline changes,
 * except `said` ones.
 */
bool gpu_input_bears(struct gpu_input *i, const void *bytes, enum memory_type wanted);
/* Replaces the captured values in place. The same seed gives the same values. */
void gpu_input_vary(const struct gpu_input *i, void *bytes, uint64_t seed);
/* The same for the values that lie wholly in `size` bytes at an offset of the array. In an array
 * that is in order they all get the first one's value, which keeps the order. */
void gpu_input_vary_part(const struct gpu_input *i, void *bytes, uint64_t offset, uint64_t size,
                         uint64_t seed);
