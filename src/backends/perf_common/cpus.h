/*
 * CPU numbers in the kernel's list form ("0-3,8"), and small files of /proc and /sys.
 */
#ifndef ROOFTOP_BACKENDS_PERF_COMMON_CPUS_H
#define ROOFTOP_BACKENDS_PERF_COMMON_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/live/target.h"

/* Sets set[] (TARGET_MAX_CPUS flags, cleared first). Returns how many, or -EINVAL on malformed
 * text. */
int cpus_parse(const char *text, bool *set);
/* CPUs online now; CPU 0 alone where the kernel does not say. Returns how many. */
int cpus_online(bool *set);
/* Reads at most size-1 bytes of a file under /proc or /sys (through env_path), cut at the first
 * line end. Length or -errno. */
int read_line(char *out, size_t size, const char *abs_path);
/* The same of all lines, without the last line end: the name of a program may hold others. */
int read_text(char *out, size_t size, const char *abs_path);
/* The whole number in that file, or fallback. */
long read_number(const char *abs_path, long fallback);

#endif
