#include "engine/session/session_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct hot_coder {
    struct dictionary *text, *symbols;
    struct bytes blob;
};

struct hot_coder *hot_coder_new(void)
{
    struct hot_coder *c = xcalloc(1, sizeof *c);
    c->text = dictionary_new();
    c->symbols = dictionary_new();
    return c;
}

void hot_coder_free(struct hot_coder *c)
{
    if (!c)
        return;
    dictionary_free(c->text);
    dictionary_free(c->symbols);
    free(c->blob.p);
    free(c);
}

static void put_hot_text(struct hot_coder *c, struct bytes *b, const char *text)
{
    dictionary_put(c->text, b, text, text ? strlen(text) : 0);
}

/* --- writing --- */

/* Writes a symbol as one entry of the dictionary, because the same symbols appear in nearly every
 * frame. */
static void put_symbol(struct hot_coder *c, struct bytes *b, const struct hot_symbol *y)
{
    const char *text[] = {y->name, y->module, y->path, y->file};
    c->blob.n = 0;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        bytes_put(&c->blob, text[i] ? text[i] : "", text[i] ? strlen(text[i]) + 1 : 1);
    bytes_put_delta(&c->blob, (uint64_t)y->line, 0);
    bytes_put_u64(&c->blob, y->address);
    bytes_put_u64(&c->blob, y->size);
    bytes_put_byte(&c->blob, y->where);
    bytes_put_byte(&c->blob, y->inlined);
    dictionary_put(c->symbols, b, c->blob.p, c->blob.n);
}

static void put_hot_place(struct hot_coder *c, struct bytes *b, const struct hot_stacks *p,
                          const struct hot_place *k, const struct hot_place *prev)
{
    const struct hot_symbol *y = &p->symbols[k->symbol];
    bytes_put_delta(b, k->symbol, prev->symbol);
    bytes_put_u64(b, k->samples);
    bytes_put_delta(b, k->address, y->address ? y->address : prev->address);
    bytes_put_delta(b, (uint64_t)k->line, (uint64_t)y->line);
    bool same = k->file && y->file && strcmp(k->file, y->file) == 0;
    bytes_put_byte(b, same);
    if (!same)
        put_hot_text(c, b, k->file);
}

void hot_write(struct hot_coder *c, struct bytes *b, const struct hot_stacks *p)
{
    static const struct hot_place origin;
    put_hot_text(c, b, p->event);
    put_hot_text(c, b, p->why);
    bytes_put_byte(b, p->callgraph);
    bytes_put_double(b, p->hz, 0);
    bytes_put_u64(b, p->samples);
    bytes_put_u64(b, p->lost);
    bytes_put_u64(b, p->throttled);
    bytes_put_double(b, p->seconds, 0);
    bytes_put_u64(b, p->nsymbols);
    for (size_t i = 0; i < p->nsymbols; i++)
        put_symbol(c, b, &p->symbols[i]);
    bytes_put_u64(b, p->nnodes);
    for (size_t i = 0; i < p->nnodes; i++) {
        /* 1 = the node before is the parent */
        bytes_put_u64(b, (uint64_t)((int64_t)i - p->nodes[i].parent));
        bytes_put_u64(b, p->nodes[i].symbol);
        bytes_put_u64(b, p->nodes[i].self);
    }
    bytes_put_u64(b, p->nplaces);
    for (size_t i = 0; i < p->nplaces; i++)
        put_hot_place(c, b, p, &p->places[i], i ? &p->places[i - 1] : &origin);
}

/* --- reading --- */

static const char *get_hot_text(struct hot_coder *c, struct byte_reader *in)
{
    size_t n, number;
    return dictionary_get(c->text, in, &n, &number);
}

/* Reads a number of rows. A number is refused if the remaining bytes could not hold so many. */
static size_t get_count(struct byte_reader *in)
{
    uint64_t n = bytes_get_u64(in);
    if (n > (uint64_t)(in->end - in->p))
        in->bad = true;
    return in->bad ? 0 : (size_t)n;
}

static void get_symbol(struct hot_coder *c, struct byte_reader *in, struct hot_symbol *y)
{
    size_t n, number;
    const char *blob = dictionary_get(c->symbols, in, &n, &number);
    const char **text[] = {&y->name, &y->module, &y->path, &y->file};
    static const uint8_t none[1];
    const uint8_t *from = blob ? (const uint8_t *)blob : none;
    struct byte_reader r = {from, from + n, blob == NULL};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const uint8_t *nul = r.p < r.end ? memchr(r.p, 0, (size_t)(r.end - r.p)) : NULL;
        *text[i] = nul ? (const char *)r.p : "";
        r.bad |= !nul;
        if (nul)
            r.p = nul + 1;
    }
    y->line = (int)bytes_get_delta(&r, 0);
    y->address = bytes_get_u64(&r);
    y->size = bytes_get_u64(&r);
    y->where = bytes_get_byte(&r);
    y->inlined = bytes_get_byte(&r) != 0;
    if (r.bad || y->where > HOT_UNKNOWN)
        in->bad = true;
}

static void get_nodes(struct byte_reader *in, struct hot_stacks *p, struct hot_node *node)
{
    for (size_t i = 0; i < p->nnodes && !in->bad; i++) {
        uint64_t up = bytes_get_u64(in);
        node[i].symbol = (uint32_t)bytes_get_u64(in);
        node[i].self = (uint32_t)bytes_get_u64(in);
        if (up == 0 || up > i + 1 || node[i].symbol >= p->nsymbols)
            in->bad = true;
        node[i].parent = (int32_t)((int64_t)i - (int64_t)up);
    }
}

static void get_places(struct hot_coder *c, struct byte_reader *in, struct hot_stacks *p,
                       struct hot_place *place)
{
    struct hot_place prev = {0};
    for (size_t i = 0; i < p->nplaces && !in->bad; i++) {
        struct hot_place *k = &place[i];
        k->symbol = (uint32_t)bytes_get_delta(in, prev.symbol);
        if (k->symbol >= p->nsymbols) {
            in->bad = true;
            return;
        }
        const struct hot_symbol *y = &p->symbols[k->symbol];
        k->samples = (uint32_t)bytes_get_u64(in);
        k->address = bytes_get_delta(in, y->address ? y->address : prev.address);
        k->line = (int)bytes_get_delta(in, (uint64_t)y->line);
        k->file = bytes_get_byte(in) ? y->file : get_hot_text(c, in);
        if (!k->file)
            k->file = "";
        prev = *k;
    }
}

const struct hot_stacks *hot_read(struct hot_coder *c, struct byte_reader *in, struct snapshot *s)
{
    struct hot_stacks *p = snapshot_alloc(s, sizeof *p);
    p->event = get_hot_text(c, in);
    if (!p->event)
        p->event = "";
    p->why = get_hot_text(c, in);
    p->callgraph = bytes_get_byte(in);
    p->hz = bytes_get_double(in, 0);
    p->samples = bytes_get_u64(in);
    p->lost = bytes_get_u64(in);
    p->throttled = bytes_get_u64(in);
    p->seconds = bytes_get_double(in, 0);
    p->nsymbols = get_count(in);
    struct hot_symbol *symbols = snapshot_alloc(s, p->nsymbols * sizeof *symbols);
    for (size_t i = 0; i < p->nsymbols && !in->bad; i++)
        get_symbol(c, in, &symbols[i]);
    p->symbols = symbols;
    p->nnodes = get_count(in);
    struct hot_node *nodes = snapshot_alloc(s, p->nnodes * sizeof *nodes);
    get_nodes(in, p, nodes);
    p->nodes = nodes;
    p->nplaces = get_count(in);
    struct hot_place *places = snapshot_alloc(s, p->nplaces * sizeof *places);
    get_places(c, in, p, places);
    p->places = places;
    if (p->callgraph > CALLGRAPH_NONE || !(p->hz >= 0 && p->hz < 1e9) ||
        !(p->seconds >= 0 && p->seconds < 1e9))
        in->bad = true;
    return in->bad ? NULL : p;
}
