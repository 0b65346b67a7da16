#include "symbols/symbols_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/list.h"
#include "base/search.h"

enum {
    ROWS_MAX = 2 << 20,
    TEXT_MAX = 128 << 20,
    NAME_MAX_BYTES = 4096,
    FUNCTION_MAX = 1 << 30,
    LOOK_BACK = 64,
};

struct jit_function {
    uint64_t address;
    uint32_t size;
    uint32_t name; /* offset in text */
    uint32_t order;
};

/* Parses up to 16 hexadecimal digits after leading zeros, with or without "0x", followed by a
 * blank. */
static const char *parse_jit_hex(const char *p, const char *end, uint64_t *value)
{
    const char *from;
    if (end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x')
        p += 2;
    *value = 0;
    for (from = p; p < end && *p != ' ' && *p != '\t'; p++) {
        const int digit = ascii_hex(*p);
        if (digit < 0 || *value >> 60)
            return NULL;
        *value = *value << 4 | (uint64_t)digit;
    }
    if (p == from || p == end)
        return NULL;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

static void add_jit_line(struct jit_map *m, const char *p, const char *end)
{
    uint64_t address, size;
    while (end > p && (end[-1] == '\r' || end[-1] == ' '))
        end--;
    p = parse_jit_hex(p, end, &address);
    p = p ? parse_jit_hex(p, end, &size) : NULL;
    if (!p || p == end || size == 0 || size > FUNCTION_MAX || address > UINT64_MAX - size)
        return;
    size_t len = (size_t)(end - p) < NAME_MAX_BYTES ? (size_t)(end - p) : NAME_MAX_BYTES;
    len = strnlen(p, len);
    if (len == 0 || m->n >= ROWS_MAX || m->used + len >= TEXT_MAX)
        return;
    LIST_ROOM(m->rows, m->n, m->cap);
    while (m->used + len + 1 > m->room) {
        m->room = m->room ? m->room * 2 : 16384;
        m->text = xrealloc(m->text, m->room, 1);
    }
    m->rows[m->n++] = (struct jit_function){address, (uint32_t)size, (uint32_t)m->used, m->count++};
    memcpy(m->text + m->used, p, len);
    m->text[m->used + len] = '\0';
    m->used += len + 1;
}

size_t jit_map_add(struct jit_map *m, const char *text, size_t len)
{
    const char *p = text, *end = text + len;
    for (const char *line; p < end && (line = memchr(p, '\n', (size_t)(end - p))); p = line + 1)
        add_jit_line(m, p, line);
    return (size_t)(p - text);
}

static int compare_jit_functions(const void *a, const void *b)
{
    const struct jit_function *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->order > y->order ? -1 : x->order < y->order;
}

/* Sorts by address; of functions at one address it keeps the one written last. */
static void sort_functions(struct jit_map *m)
{
    size_t n = 0;
    if (m->n)
        qsort(m->rows, m->n, sizeof *m->rows, compare_jit_functions);
    for (size_t i = 0; i < m->n; i++) {
        if (n == 0 || m->rows[n - 1].address != m->rows[i].address)
            m->rows[n++] = m->rows[i];
    }
    m->n = m->sorted = n;
}

const char *jit_map_find(struct jit_map *m, uint64_t ip, uint64_t *address, uint64_t *size)
{
    size_t low = 0;
    const struct jit_function *best = NULL;
    if (m->sorted != m->n)
        sort_functions(m);
    SEARCH_FIRST(low, m->n, m->rows[low].address <= ip);
    for (size_t back = 1; back <= LOOK_BACK && back <= low; back++) {
        const struct jit_function *f = &m->rows[low - back];
        if (ip - f->address < f->size && (!best || f->order > best->order))
            best = f;
    }
    if (!best)
        return NULL;
    *address = best->address;
    *size = best->size;
    return m->text + best->name;
}

size_t jit_map_memory(const struct jit_map *m)
{
    return m->cap * sizeof *m->rows + m->room;
}

void jit_map_free(struct jit_map *m)
{
    free(m->rows);
    free(m->text);
    *m = (struct jit_map){0};
}
