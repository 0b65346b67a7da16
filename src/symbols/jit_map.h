/* The lines of a perf-<pid>.map as a table of functions. */
#ifndef ROOFTOP_SYMBOLS_JIT_MAP_H
#define ROOFTOP_SYMBOLS_JIT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jit_function;

struct jit_map {
    struct jit_function *rows;
    size_t n, cap;
    size_t sorted;  /* the first `sorted` rows are in order of address */
    uint32_t count; /* lines taken so far */
    char *text;     /* NUL-terminated names */
    size_t used, room;
};

/* Takes whole lines and skips malformed ones. Returns how many bytes were taken. */
size_t jit_map_add(struct jit_map *m, const char *text, size_t len);
/*
 * Returns the name of the function that holds ip (the one written last, of several) and its address
 * and size; NULL: none. The name is valid until the next call.
 */
const char *jit_map_find(struct jit_map *m, uint64_t ip, uint64_t *address, uint64_t *size);
size_t jit_map_memory(const struct jit_map *m);
void jit_map_free(struct jit_map *m);

#endif
