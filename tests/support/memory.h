/* Counts what this process holds. */
#pragma once

#include <stddef.h>

size_t allocated_bytes(void); /* bytes that malloc gave out and that were not freed; 0 under
                                 sanitizers, whose malloc does not say */
size_t open_files(void);      /* number of open descriptors */
