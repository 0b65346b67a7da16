/*
 * How much memory opening a file may take: what the user said, or three quarters of what is free,
 * which is what the kernel calls available and what is left in the cgroups that we are in.
 */
#ifndef ROOFTOP_BASE_MEMORY_H
#define ROOFTOP_BASE_MEMORY_H

#include <stdint.h>

/* Bytes; UINT64_MAX where nobody says. Reads /proc and /sys through env_path. */
uint64_t memory_free(void);
uint64_t memory_limit(void);
void memory_set_limit(uint64_t bytes); /* 0: the default again */

#endif
