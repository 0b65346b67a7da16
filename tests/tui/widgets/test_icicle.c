/* Draws only: not for TSan. */
#include <stdlib.h>
#include <string.h>

#include "engine/functions/hot_calls.h"
#include "engine/functions/hot_sum.h"
#include "support/hot_scene.h"
#include "tui/widgets/icicle.h"
#include "support/test.h"

static const struct icicle_cell *cell_of(const struct icicle_cell *cells, size_t n, int32_t node)
{
    for (size_t i = 0; i < n; i++)
        if (cells[i].node == node)
            return &cells[i];
    return NULL;
}

/* Children are below their caller, beside each other, and as wide as their share to within a
 * cell. */
static void check(const struct icicle *ic, const struct icicle_cell *cells, size_t n, int w)
{
    int depth = 0, end = 0;
    for (size_t i = 0; i < n; i++) {
        const struct icicle_cell *k = &cells[i];
        assert_true(k->w >= 1 && k->x >= 0 && k->x + k->w <= w);
        assert_true(k->depth == depth || k->depth == depth + 1);
        assert_true(k->depth != depth || k->x >= end); /* no overlap */
        depth = k->depth;
        end = k->x + k->w;
        if (k->depth == 0) {
            assert_int_equal(k->node, ICICLE_ALL);
            assert_int_equal(k->w, w);
            continue;
        }
        const struct icicle_cell *up = k->parent == -1 ? &cells[0] : cell_of(cells, n, k->parent);
        if (k->node >= 0 && ic->nodes[k->node].parent < 0)
            up = &cells[0];
        assert_non_null(up);
        if (ic->zoom >= 0 && k->w == w)
            continue; /* a caller of the zoomed frame */
        assert_true(k->x >= up->x && k->x + k->w <= up->x + up->w);
        double exact = (double)up->w * (double)k->total / (double)up->total;
        assert_true(k->w > exact - 1 && k->w < exact + 1);
    }
}

TEST(widths_are_shares)
{
    static const int widths[] = {1, 2, 7, 80, 200, 1000};
    static struct icicle_cell cells[1000 * 12];
    struct arena a = {0};
    for (unsigned seed = 0; seed < 30; seed++) {
        const struct hot_stacks *p = random_stacks(&a, seed, 20, 100, 9);
        uint64_t total[8192];
        hot_node_totals(p, total);
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            for (int32_t zoom = -1; zoom < (int32_t)p->nnodes; zoom += 17) {
                struct icicle ic = {p->nodes, total, p->nnodes, zoom};
                size_t n = icicle_layout(&ic, widths[i], 12, cells);
                assert_true(n >= 1);
                check(&ic, cells, n, widths[i]);
                if (zoom >= 0)
                    assert_int_equal(cell_of(cells, n, zoom)->w, widths[i]);
            }
    }
    arena_free(&a);
}

/* Frames that are narrower than a cell share one, which is marked. */
TEST(narrow_frames_stand_together)
{
    enum { CHILDREN = 100 };
    struct hot_node nodes[CHILDREN + 1] = {{-1, 0, 0}};
    uint64_t total[CHILDREN + 1];
    struct icicle_cell cells[64];
    struct hot_stacks p = {.nodes = nodes, .nnodes = CHILDREN + 1};
    for (int i = 1; i <= CHILDREN; i++)
        nodes[i] = (struct hot_node){0, 1, i == 1 ? 100 : 1};
    hot_node_totals(&p, total);
    struct icicle ic = {nodes, total, CHILDREN + 1, -1};
    size_t n = icicle_layout(&ic, 20, 3, cells);
    assert_int_equal(n, 4);
    assert_int_equal(cells[2].node, 1);
    assert_int_equal(cells[2].w, 10);
    assert_int_equal(cells[3].node, ICICLE_SEVERAL);
    assert_int_equal(cells[3].parent, 0);
    assert_int_equal(cells[3].total, CHILDREN - 1);
    assert_int_equal(cells[3].w, 10);
}

TEST(nothing_is_laid_out_of_nothing)
{
    struct icicle_cell cells[10];
    struct icicle ic = {NULL, NULL, 0, -1};
    assert_int_equal(icicle_layout(&ic, 10, 1, cells), 1);
    assert_int_equal(icicle_layout(&ic, 0, 1, cells), 0);
}
