/* Compiled streams in memory that can be executed. Such memory can be written before, never at the
 * same time. */
#ifndef ROOFTOP_BACKENDS_LAB_NATIVE_H
#define ROOFTOP_BACKENDS_LAB_NATIVE_H

#include "base/error.h"
#include "vtpu/compile.h"

struct native {
    vtpu_function *run;
    void *memory;
    size_t size;
};

/* Copies the code; what was compiled may be freed. -errno where the system refuses such memory. */
int native_load(struct native *out, const struct vtpu_native *code, struct error *err);
void native_unload(struct native *n);

#endif
