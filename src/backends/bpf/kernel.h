/* The kernel's bpf(2): maps and programs. Descriptors are closed by their owner. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct code;

/* A descriptor or -errno. type: BPF_MAP_TYPE_... */
int kernel_map(unsigned type, uint32_t key, uint32_t value, uint32_t entries, uint32_t flags);
int kernel_map_set(int map, const void *key, const void *value);
int kernel_map_get(int map, const void *key, void *value);
int kernel_map_drop(int map, const void *key);
/* The key after this one; key NULL: the first. -ENOENT at the end. */
int kernel_map_next(int map, const void *key, void *next);
/* How many CPUs the kernel has room for: maps of each CPU have as many values. */
uint32_t kernel_cpus(void);
/* What programs with functions need; a descriptor or -errno. The arguments of functions that stand
 * alone are a pointer to `size` bytes and two numbers. */
int kernel_types_load(uint32_t size);
/* Loads a program for raw tracepoints. types: of kernel_types_load, or -1. why (may be NULL) gets
 * what the verifier says against it. */
int kernel_program(const struct code *c, int types, char *why, size_t size);
/* It runs from now on until the descriptor is closed. */
int kernel_attach(int program, const char *tracepoint);
/* How often the kernel did not run the program, because it ran on that CPU already. */
uint64_t kernel_program_missed(int program);
