#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK_SIZE = 64 * 1024 };

struct arena_block {
    struct arena_block *next;
    size_t size;
    _Alignas(max_align_t) unsigned char data[];
};

static _Noreturn void out_of_memory(size_t size)
{
    fprintf(stderr, "rooftop: out of memory (%zu bytes)\n", size);
    abort();
}

void *xcalloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        out_of_memory(n);
    return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        out_of_memory(n);
    size_t bytes = n * size;
    void *q = realloc(p, bytes > 0 ? bytes : 1);
    if (!q)
        out_of_memory(bytes);
    return q;
}

char *xstrdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(xcalloc(n, 1), s, n);
}

void *pages_alloc(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        out_of_memory(size);
    return p;
}

void pages_free(void *p, size_t size)
{
    if (p)
        munmap(p, size);
}

static void add_arena_block(struct arena *a, size_t need)
{
    size_t size = need > BLOCK_SIZE ? need : BLOCK_SIZE;
    struct arena_block *b = malloc(sizeof *b + size);
    if (!b)
        out_of_memory(size);
    b->size = size;
    b->next = a->current ? a->current->next : NULL;
    if (a->current)
        a->current->next = b;
    else
        a->first = b;
    a->current = b;
    a->used = 0;
}

void *arena_alloc(struct arena *a, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    if (size > SIZE_MAX - align)
        out_of_memory(size);
    size = (size + align - 1) / align * align;
    while (!a->current || a->current->size - a->used < size) {
        if (a->current && a->current->next && a->current->next->size >= size) {
            a->current = a->current->next;
            a->used = 0;
        } else {
            add_arena_block(a, size);
        }
    }
    void *p = a->current->data + a->used;
    a->used += size;
    return memset(p, 0, size);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    size_t len = strnlen(s, n);
    return memcpy(arena_alloc(a, len + 1), s, len);
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    char small[256];
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    char *s = arena_alloc(a, (size_t)(n < 0 ? 0 : n) + 1);
    if (n > 0 && (size_t)n < sizeof small)
        memcpy(s, small, (size_t)n);
    else if (n > 0)
        vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    return s;
}

void arena_reset(struct arena *a)
{
    a->current = a->first;
    a->used = 0;
}

void arena_free(struct arena *a)
{
    for (struct arena_block *b = a->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *a = (struct arena){0};
}
