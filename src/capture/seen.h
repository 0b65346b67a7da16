/*
 * The kernels that ran, by the address of their descriptor. Looking one up again takes no lock, so
 * that dispatches nobody asked for cost next to nothing.
 */
#ifndef ROOFTOP_CAPTURE_SEEN_H
#define ROOFTOP_CAPTURE_SEEN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/control.h"

/* One name, however often its code was loaded. */
struct seen_name {
    const char *mangled, *demangled; /* without .kd; "" where the code object is not known */
    _Atomic uint64_t dispatches;
    struct control_kernel *row; /* NULL: none was left */
    struct seen_name *next;
};

struct seen {
    uint64_t object, executable;
    struct seen_name *name;
    _Atomic uint64_t verdict; /* the number of the request it was made for, times 2, +1: matches */
};

/* NULL: no memory, or the kernel is new and its name cannot be found out. */
struct seen *seen_at(uint64_t object);
/* An executable has gone: another kernel may get the address. */
void seen_executable_gone(uint64_t executable);
void seen_reset(void);

#endif
