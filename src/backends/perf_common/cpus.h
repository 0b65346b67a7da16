/*
 * The CPUs that are online, and small files of /proc and /sys.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/live/target.h"

/* Finds the CPUs that are online now; only CPU 0 if the kernel does not tell. set: TARGET_MAX_CPUS
 * flags. Returns how many. */
int cpus_online(bool *set);
/* Reads at most size-1 bytes of a file under /proc or /sys (through env_path), up to the first end
 * of line. Returns the length or -errno. */
int read_line(char *out, size_t size, const char *abs_path);
/* The same for the whole file without its last end of line: the name of a program may contain
 * newlines. */
int read_text(char *out, size_t size, const char *abs_path);
/* The number in the file, or fallback. */
long read_number(const char *abs_path, long fallback);
