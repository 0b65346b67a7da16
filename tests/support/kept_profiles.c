#include "kept_profiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct hot_symbol known[] = {
    {"main", "demo", "/usr/bin/demo", "src/main.c", 10, 0x1000, 0x80, HOT_USER, false},
    {"matmul", "demo", "/usr/bin/demo", "src/matmul.c", 31, 0x1100, 0x400, HOT_USER, false},
    {"dot", "demo", "/usr/bin/demo", "src/dot.h", 7, 0, 0, HOT_USER, true},
    {"memcpy", "libc.so.6", "/lib/libc.so.6", "", 0, 0x9f000, 0x200, HOT_USER, false},
    {"std::vector<int, std::allocator<int> >::push_back(int const&)", "demo", "/usr/bin/demo",
     "vector", 1, 0x2200, 0x90, HOT_USER, false},
    {"clear_page_erms", "[kernel]", "", "", 0, 0xffffffff81000000u, 0x40, HOT_KERNEL, false},
    {"LazyCompile:*step", "[jit]", "", "", 0, 0x7f0000001000, 0x300, HOT_JIT, false},
    {"0x7fffdeadbeef", "[unknown]", "", "", 0, 0, 0, HOT_UNKNOWN, false},
};
enum { KNOWN = sizeof known / sizeof *known, NODES = 40 };

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

const struct hot_stacks *profiles_random(struct snapshot *s, unsigned seed)
{
    struct hot_stacks *p = snapshot_alloc(s, sizeof *p);
    struct hot_symbol *y = snapshot_alloc(s, sizeof known);
    struct hot_node *n = snapshot_alloc(s, NODES * sizeof *n);
    struct hot_place *k = snapshot_alloc(s, NODES * sizeof *k);
    unsigned shift = next(&seed) % KNOWN;
    *p = (struct hot_stacks){.event = "cpu-clock",
                             .why = "this machine has no PMU",
                             .hz = SAMPLING_HZ,
                             .seconds = 1,
                             .lost = seed % 3,
                             .symbols = y,
                             .nsymbols = KNOWN,
                             .nodes = n,
                             .places = k};
    for (size_t i = 0; i < KNOWN; i++)
        y[i] = known[(i + shift) % KNOWN];
    for (size_t i = 0; i < NODES; i++) {
        n[i].parent = i == 0 || next(&seed) % 8 == 0 ? -1 : (int32_t)(next(&seed) % i);
        n[i].symbol = next(&seed) % KNOWN;
        n[i].self = next(&seed) % 3 ? next(&seed) % 50 : 0;
        p->samples += n[i].self;
        if (n[i].self) {
            const struct hot_symbol *at = &y[n[i].symbol];
            k[p->nplaces++] = (struct hot_place){.symbol = n[i].symbol,
                                                 .samples = n[i].self,
                                                 .address = at->address + next(&seed) % 64,
                                                 .file = i % 5 ? at->file : "other.h",
                                                 .line = at->line ? at->line + 2 : 0};
        }
    }
    p->nnodes = NODES;
    return p;
}

static void assert_same_symbol(const struct hot_symbol *a, const struct hot_symbol *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->module, b->module);
    assert_string_equal(a->path, b->path);
    assert_string_equal(a->file, b->file);
    assert_int_equal(a->line, b->line);
    assert_int_equal(a->address, b->address);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->where, b->where);
    assert_int_equal(a->inlined, b->inlined);
}

void profiles_assert_same(const struct hot_stacks *a, const struct hot_stacks *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (!a || !b)
        return;
    assert_string_equal(a->event, b->event);
    assert_int_equal(a->why == NULL, b->why == NULL);
    assert_true(a->hz == b->hz && a->seconds == b->seconds);
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->lost, b->lost);
    assert_int_equal(a->nsymbols, b->nsymbols);
    for (size_t i = 0; i < a->nsymbols; i++)
        assert_same_symbol(&a->symbols[i], &b->symbols[i]);
    assert_int_equal(a->nnodes, b->nnodes);
    for (size_t i = 0; i < a->nnodes; i++) {
        assert_int_equal(a->nodes[i].parent, b->nodes[i].parent);
        assert_int_equal(a->nodes[i].symbol, b->nodes[i].symbol);
        assert_int_equal(a->nodes[i].self, b->nodes[i].self);
    }
    assert_int_equal(a->nplaces, b->nplaces);
    for (size_t i = 0; i < a->nplaces; i++) {
        assert_int_equal(a->places[i].symbol, b->places[i].symbol);
        assert_int_equal(a->places[i].samples, b->places[i].samples);
        assert_int_equal(a->places[i].address, b->places[i].address);
        assert_int_equal(a->places[i].line, b->places[i].line);
        assert_string_equal(a->places[i].file, b->places[i].file);
    }
}
