/* Numbers as they lie in a GPU's memory: how large, what they are worth, how they are written. */
#ifndef ROOFTOP_ENGINE_CAPTURE_MEMORY_TYPE_H
#define ROOFTOP_ENGINE_CAPTURE_MEMORY_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Little endian all of them. */
enum memory_type {
    MEMORY_U8,
    MEMORY_U16,
    MEMORY_U32,
    MEMORY_U64,
    MEMORY_I8,
    MEMORY_I16,
    MEMORY_I32,
    MEMORY_I64,
    MEMORY_F16,
    MEMORY_BF16,
    MEMORY_F32,
    MEMORY_F64,
    MEMORY_TYPES
};

const char *memory_type_name(enum memory_type t); /* "f16" */
size_t memory_type_size(enum memory_type t);
bool memory_type_is_float(enum memory_type t);
bool memory_type_find(const char *name, enum memory_type *out);
/* "float const*", "_Float16", "unsigned int": what C, C++ and HIP call it; false: none of these. */
bool memory_type_of_c(const char *c_type, enum memory_type *out);

/* The bits of the element at p, which need not be aligned. */
uint64_t memory_bits(enum memory_type t, const void *p);
/* What these bits are worth; of 64 bit integers the nearest double. */
double memory_number(enum memory_type t, uint64_t bits);
/* As text, so exact that it gives the same bits when read back: "0.1", "-7", "nan", "-inf". Returns
 * the bytes it has. 32 bytes are always enough. */
int memory_format_one(enum memory_type t, uint64_t bits, char *out, size_t size);

/* How a row is shown. */
enum memory_look { MEMORY_LOOK_TYPE, MEMORY_LOOK_HEX };
/*
 * n bytes from p as a row: elements separated by blanks, each in as many cells as the widest of its
 * type may have, so that rows stand below each other; hex: the digits of the element's value. Bytes
 * behind the last whole element are shown as hex. Returns out.
 */
const char *memory_format(enum memory_type t, enum memory_look look, const void *p, size_t n,
                          char *out, size_t size);
/* Cells that memory_format gives an element, without the blank. */
int memory_format_width(enum memory_type t, enum memory_look look);

#endif
