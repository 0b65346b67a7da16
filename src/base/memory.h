/*
 * How much memory opening a file may take: the user's limit, or three quarters of the free memory.
 * Free memory is the smaller of what the kernel calls available and what is left in our cgroups.
 */
#pragma once

#include <stdint.h>

/* Returns bytes, UINT64_MAX if unknown. Reads /proc and /sys through env_path. */
uint64_t memory_free(void);
uint64_t memory_limit(void);
void memory_set_limit(uint64_t bytes); /* 0 restores the default */
