/*
 * The kernels that ran, by the address of their descriptor. A repeated lookup takes no lock, so
 * that dispatches that are not captured cost almost nothing.
 */
#ifndef ROOFTOP_CAPTURE_SEEN_H
#define ROOFTOP_CAPTURE_SEEN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/control.h"

/* One name, however often its code was loaded. */
struct seen_name {
    const char *mangled, *demangled; /* without .kd; "" where the code object is unknown */
    _Atomic uint64_t dispatches;
    struct control_kernel *row; /* NULL: all rows are taken */
    struct seen_name *next;
};

struct seen {
    uint64_t object, executable;
    struct seen_name *name;
    _Atomic uint64_t verdict; /* request number times 2, plus 1 if it matches */
};

/* Finds or adds a kernel. NULL: no memory, or its name cannot be found out. */
struct seen *seen_at(uint64_t object);
/* Forgets the kernels of a destroyed executable: another kernel may get their addresses. */
void seen_executable_gone(uint64_t executable);
void seen_reset(void);

#endif
