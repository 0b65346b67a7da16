/* The rows of types.def: how arguments are written, and how much memory they point to. */
#pragma once

#include "engine/syscalls/decode/decoder.h"

/* When the memory behind an argument matters. */
enum type_when { NEVER = 0, ENTRY = 1, RETURN = 2, BOTH = 3 };

/* How much memory that is, if it is not a fixed number of bytes. */
enum type_size { NOTHING = 0, STRING = -1, PATH = -2, LENGTH = -3, RESULT = -4, MORE = -5 };

struct type {
    uint8_t when; /* enum type_when */
    int16_t size; /* bytes, or enum type_size */
    void (*write)(struct decoder *d, unsigned arg);
    const struct constants *constants; /* names of flags or values, or NULL */
};

extern const struct type syscall_types[SYSCALL_TYPES];

/* The type of an argument, or NULL. */
const struct type *type_of(const struct decoder *d, unsigned arg);

#define TYPE(name, when, size, writer) void writer(struct decoder *d, unsigned arg);
#define FLAGS(name)
#define FLAGS64(name)
#define ENUM(name)
#include "engine/syscalls/types.def"
#undef TYPE
#undef FLAGS
#undef FLAGS64
#undef ENUM
