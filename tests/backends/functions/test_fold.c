#include "backends/functions/sampler_impl.h"
#include "support/test.h"

#include <stdlib.h>

static const struct fold_place nowhere = {.file = ""};

static const struct hot_node *find(const struct fold *f, int32_t parent, uint32_t symbol)
{
    for (size_t i = 0; i < f->nnodes; i++)
        if (f->nodes[i].parent == parent && f->nodes[i].symbol == symbol)
            return &f->nodes[i];
    fail_msg("no node %u below %d", symbol, parent);
    return NULL;
}

static int32_t index_of(const struct fold *f, const struct hot_node *n)
{
    return (int32_t)(n - f->nodes);
}

TEST(stacks_with_a_common_beginning_share_it)
{
    struct fold f = {0};
    fold_add(&f, (uint32_t[]){1, 2, 3}, 3, &nowhere);
    fold_add(&f, (uint32_t[]){1, 2, 4}, 3, &nowhere);
    fold_add(&f, (uint32_t[]){1, 2}, 2, &nowhere);
    fold_add(&f, (uint32_t[]){2}, 1, &nowhere); /* it becomes a root of its own */
    fold_add(&f, (uint32_t[]){1, 2, 4}, 3, &nowhere);
    assert_int_equal(f.samples, 5);
    assert_int_equal(f.nnodes, 5);
    int32_t one = index_of(&f, find(&f, -1, 1)), two = index_of(&f, find(&f, one, 2));
    assert_int_equal(find(&f, -1, 1)->self, 0);
    assert_int_equal(find(&f, one, 2)->self, 1);
    assert_int_equal(find(&f, two, 3)->self, 1);
    assert_int_equal(find(&f, two, 4)->self, 2);
    assert_int_equal(find(&f, -1, 2)->self, 1);
    fold_free(&f);
}

TEST(places_of_the_innermost_frame_are_counted)
{
    struct fold f = {0};
    struct fold_place a = {.address = 0x10, .file = "a.c", .line = 1};
    struct fold_place b = {.address = 0x20, .file = "a.c", .line = 2};
    fold_add(&f, (uint32_t[]){1, 2}, 2, &a);
    fold_add(&f, (uint32_t[]){3, 2}, 2, &a); /* other callers, the same function */
    fold_add(&f, (uint32_t[]){1, 2}, 2, &b);
    assert_int_equal(f.nplaces, 2);
    assert_int_equal(f.places[0].samples, 2);
    assert_int_equal(f.places[0].address, 0x10);
    assert_int_equal(f.places[1].samples, 1);
    assert_int_equal(f.places[1].line, 2);
    fold_free(&f);
}

static uint32_t next(uint64_t *x, uint32_t below)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*x >> 33) % below;
}

/* Random stacks: parents precede children, and no sample is lost, also after the tables have grown
 * and were reused. */
TEST(sums_hold_for_many_stacks)
{
    struct fold f = {0};
    uint64_t x = 1;
    for (int round = 0; round < 3; round++) {
        uint32_t stack[40];
        for (int i = 0; i < 20000; i++) {
            size_t n = 1 + next(&x, 40);
            for (size_t k = 0; k < n; k++)
                stack[k] = next(&x, 3);
            struct fold_place p = {.address = next(&x, 5000), .file = ""};
            fold_add(&f, stack, n, &p);
        }
        uint64_t nodes = 0, places = 0;
        for (size_t i = 0; i < f.nnodes; i++) {
            assert_true(f.nodes[i].parent < (int32_t)i);
            nodes += f.nodes[i].self;
        }
        for (size_t i = 0; i < f.nplaces; i++)
            places += f.places[i].samples;
        assert_int_equal(f.samples, 20000);
        assert_int_equal(nodes, 20000);
        assert_int_equal(places, 20000);
        fold_reset(&f);
        assert_int_equal(f.nnodes, 0);
    }
    fold_free(&f);
}

/* Stacks that never repeat: memory is bounded, and the samples that do not fit are counted. */
TEST(the_tree_is_bounded)
{
    struct fold f = {0};
    uint32_t stack[500];
    uint64_t self = 0;
    for (uint32_t i = 0; i < 1500; i++) {
        stack[0] = 0;
        for (uint32_t k = 1; k < 500; k++)
            stack[k] = i * 500 + k;
        fold_add(&f, stack, 500, &nowhere);
    }
    for (size_t i = 0; i < f.nnodes; i++)
        self += f.nodes[i].self;
    assert_int_equal(f.nnodes, FOLD_NODES_MAX);
    assert_int_equal(self, 1500);
    fold_free(&f);
}
