/* What this process holds, counted. */
#ifndef ROOFTOP_TESTS_SUPPORT_MEMORY_H
#define ROOFTOP_TESTS_SUPPORT_MEMORY_H

#include <stddef.h>

size_t
allocated_bytes(void); /* by malloc and not freed; 0 under sanitizers, whose malloc does not tell */
size_t open_files(void); /* descriptors */

#endif
