/* A program's output, bounded in time and size. */
#ifndef ROOFTOP_SYMBOLS_CHILD_H
#define ROOFTOP_SYMBOLS_CHILD_H

#include <stddef.h>
#include <stdint.h>

/* Where a program lies, searched along PATH, in out; NULL where it is not installed. */
const char *child_find(const char *name, char *out, size_t size);

/*
 * Runs argv (argv[0]: a path) with nothing to read, its messages dropped, the C locale, and no
 * debug files fetched from a network. Its output, NUL-terminated, is *text (free it); beyond
 * max bytes it is ended, as is what takes longer than timeout_ns. Returns how it went: its exit
 * status, or -errno (-ETIMEDOUT, -EFBIG with the first part in *text).
 */
int child_run(char *const argv[], uint64_t timeout_ns, size_t max, char **text);

/* Bytes as a file in memory that programs can open by the name in path; close it. -1: errno. */
int child_file(const void *bytes, size_t size, char path[64]);

#endif
