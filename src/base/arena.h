/*
 * Bump allocation for data that lives exactly as long as its owner (a snapshot, a parsed file).
 * arena_reset keeps the blocks, so that repeated use allocates nothing.
 */
#pragma once

#include <stddef.h>

struct arena_block;
struct arena {
    struct arena_block *first, *current;
    size_t used; /* bytes handed out from current */
};

/* Returns zeroed memory, aligned for any type, owned by the arena. Ends the process when the system
 * has no memory. */
void *arena_alloc(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_reset(struct arena *a); /* forgets all contents, keeps the blocks */
void arena_free(struct arena *a);  /* frees the blocks; the arena can be used again */

/* The malloc family for small, bounded sizes: they end the process with a message instead of
 * returning NULL. The caller frees the result. */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size); /* checks n*size for overflow */
char *xstrdup(const char *s);

/* Zeroed memory in pages of its own, for large structs of which most is never used: only what is
 * touched takes memory. calloc clears memory that was used before, which makes all of it resident.
 * Ends the process with a message instead of returning NULL. Free with pages_free and the same
 * size. */
void *pages_alloc(size_t size);
void pages_free(void *p, size_t size); /* p NULL: does nothing */
