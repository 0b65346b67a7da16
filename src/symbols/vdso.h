/* The shared object that the kernel maps into every process, from our own memory. */
#ifndef ROOFTOP_SYMBOLS_VDSO_H
#define ROOFTOP_SYMBOLS_VDSO_H

#include <stddef.h>

/*
 * Returns its image and size; NULL where there is none. The kernel owns the memory; it stays valid.
 */
void *vdso_data(size_t *size);

#endif
