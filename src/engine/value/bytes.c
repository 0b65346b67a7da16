#include "engine/value/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"

void bytes_put(struct bytes *b, const void *p, size_t n)
{
    if (b->n + n > b->cap) {
        b->cap = (b->n + n) * 2 > 256 ? (b->n + n) * 2 : 256;
        b->p = xrealloc(b->p, b->cap, 1);
    }
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n += n;
}

void bytes_put_byte(struct bytes *b, uint8_t v)
{
    bytes_put(b, &v, 1);
}

void bytes_put_u64(struct bytes *b, uint64_t v)
{
    uint8_t buf[10];
    size_t n = 0;
    do {
        buf[n] = (uint8_t)(v & 0x7f);
        v >>= 7;
        if (v)
            buf[n] |= 0x80;
        n++;
    } while (v);
    bytes_put(b, buf, n);
}

/* Zigzag: differences 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 …, so that small ones stay short. */
void bytes_put_delta(struct bytes *b, uint64_t v, uint64_t prev)
{
    uint64_t d = v - prev;
    bytes_put_u64(b, d >> 63 ? ~(d << 1) : d << 1);
}

/* One byte tells how many zero bytes stand at the low end and how many bytes follow. */
void bytes_put_double(struct bytes *b, double v, double prev)
{
    uint64_t x, y;
    uint8_t buf[9];
    unsigned low = 0, n = 0;
    memcpy(&x, &v, sizeof x);
    memcpy(&y, &prev, sizeof y);
    for (x ^= y; x && (x & 0xff) == 0; x >>= 8)
        low++;
    for (; x; x >>= 8)
        buf[1 + n++] = (uint8_t)x;
    buf[0] = (uint8_t)(low << 4 | n);
    bytes_put(b, buf, n + 1);
}

const uint8_t *bytes_get(struct byte_reader *r, size_t n)
{
    const uint8_t *p = r->p;
    if (r->bad || n > (size_t)(r->end - r->p)) {
        r->bad = true;
        return NULL;
    }
    r->p += n;
    return p;
}

uint8_t bytes_get_byte(struct byte_reader *r)
{
    const uint8_t *p = bytes_get(r, 1);
    return p ? *p : 0;
}

uint64_t bytes_get_u64(struct byte_reader *r)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = bytes_get_byte(r);
        v |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (!(byte & 0x80))
            return r->bad ? 0 : v;
    }
    r->bad = true;
    return 0;
}

uint64_t bytes_get_delta(struct byte_reader *r, uint64_t prev)
{
    uint64_t z = bytes_get_u64(r);
    return prev + (z & 1 ? ~(z >> 1) : z >> 1);
}

double bytes_get_double(struct byte_reader *r, double prev)
{
    uint8_t head = bytes_get_byte(r);
    unsigned low = head >> 4, n = head & 0xf;
    const uint8_t *p = bytes_get(r, n);
    uint64_t x = 0, y;
    if (n + low > 8)
        r->bad = true;
    if (r->bad || !p)
        return 0;
    for (unsigned i = 0; i < n; i++)
        x |= (uint64_t)p[i] << (8 * (low + i));
    memcpy(&y, &prev, sizeof y);
    x ^= y;
    memcpy(&prev, &x, sizeof x);
    return prev;
}

/* --- dictionary --- */

struct text_entry {
    char *text;
    size_t n;
};

struct dictionary {
    struct arena arena;
    struct text_entry *entries;
    size_t n, cap;
    struct hash_table by_text; /* empty in a reader */
};

struct dictionary *dictionary_new(void)
{
    return xcalloc(1, sizeof(struct dictionary));
}

void dictionary_free(struct dictionary *d)
{
    if (!d)
        return;
    arena_free(&d->arena);
    free(d->entries);
    hash_table_free(&d->by_text);
    free(d);
}

static void add_dictionary_text(struct dictionary *d, const void *p, size_t n)
{
    LIST_ROOM(d->entries, d->n, d->cap);
    struct text_entry *e = &d->entries[d->n++];
    *e = (struct text_entry){.text = arena_alloc(&d->arena, n + 1), .n = n};
    if (n)
        memcpy(e->text, p, n);
}

void dictionary_put(struct dictionary *d, struct bytes *b, const void *p, size_t n)
{
    if (!p) {
        bytes_put_u64(b, 0);
        return;
    }
    uint64_t hash = hash_bytes(0, p, n);
    HASH_EACH (&d->by_text, hash, i) {
        if (d->entries[i].n == n && memcmp(d->entries[i].text, p, n) == 0) {
            bytes_put_u64(b, i + 1);
            return;
        }
    }
    hash_table_add(&d->by_text, hash, d->n);
    add_dictionary_text(d, p, n);
    bytes_put_u64(b, d->n);
    bytes_put_u64(b, n);
    bytes_put(b, p, n);
}

const char *dictionary_get(struct dictionary *d, struct byte_reader *r, size_t *n, size_t *number)
{
    uint64_t ref = bytes_get_u64(r);
    *n = 0;
    *number = (size_t)ref;
    if (ref == 0 || r->bad)
        return NULL;
    if (ref > d->n + 1) {
        r->bad = true;
        return NULL;
    }
    if (ref == d->n + 1) {
        size_t len = (size_t)bytes_get_u64(r);
        const uint8_t *p = bytes_get(r, len);
        if (!p)
            return NULL;
        add_dictionary_text(d, p, len);
    }
    *n = d->entries[ref - 1].n;
    return d->entries[ref - 1].text;
}
