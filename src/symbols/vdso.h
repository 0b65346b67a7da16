/* The kernel's shared object that is mapped into every process, from our own memory. */
#ifndef ROOFTOP_SYMBOLS_VDSO_H
#define ROOFTOP_SYMBOLS_VDSO_H

#include <stddef.h>

/* Its image and how long it is; NULL where there is none. The kernel's memory: lives for good. */
void *vdso_data(size_t *size);

#endif
