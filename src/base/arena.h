/*
 * Bump allocation for what lives exactly as long as its owner (a snapshot, a parsed file).
 * arena_reset keeps the blocks, so that a steady state allocates nothing.
 */
#ifndef ROOFTOP_BASE_ARENA_H
#define ROOFTOP_BASE_ARENA_H

#include <stddef.h>

struct arena_block;
struct arena {
    struct arena_block *first, *current;
    size_t used; /* bytes handed out from current */
};

/* Zeroed memory aligned for any type; aborts the process only when the system has no memory at all.
 */
void *arena_alloc(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_reset(struct arena *a); /* forget everything, keep the blocks */
void arena_free(struct arena *a);  /* give the blocks back; the arena is usable again */

/* malloc family for small, bounded sizes: abort with a message instead of returning NULL. */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size); /* checks n*size for overflow */
char *xstrdup(const char *s);

#endif
