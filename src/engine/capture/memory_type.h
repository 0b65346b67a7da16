/* Types of numbers in a GPU's memory: their sizes, values and notation. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All are little-endian. */
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
/* Finds the type by its name in C, C++ or HIP ("float const*", "_Float16", "unsigned int";
 * pointers count as what they point to). false: it is no type of the list. */
bool memory_type_of_c(const char *c_type, enum memory_type *out);

/* The bits of the element at p, which need not be aligned. */
uint64_t memory_bits(enum memory_type t, const void *p);
/* The value of these bits; for 64-bit integers the nearest double. */
double memory_number(enum memory_type t, uint64_t bits);
/* Writes a number with as many digits as restore the same bits when it is read: "0.1", "-7",
 * "nan", "-inf". Returns the number of bytes. 32 bytes are always enough. */
int memory_format_one(enum memory_type t, uint64_t bits, char *out, size_t size);

/* How elements are shown: by their type, or as hexadecimal bits. */
enum memory_look { MEMORY_LOOK_TYPE, MEMORY_LOOK_HEX };
/* Writes n bytes from p as a row: elements separated by blanks, each padded to the widest that its
 * type can have, so that columns align. Bytes behind the last whole element are shown in
 * hexadecimal. Returns out. */
const char *memory_format(enum memory_type t, enum memory_look look, const void *p, size_t n,
                          char *out, size_t size);
/* Cells of an element in memory_format, without the blank. */
int memory_format_width(enum memory_type t, enum memory_look look);
