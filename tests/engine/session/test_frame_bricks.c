/* Sessions restore what is known about instrumented programs: rates of several threads, and
 * roofs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/roofline/roofline.h"
#include "engine/session/frame_bricks.h"
#include "engine/value/bytes.h"
#include "support/brick_scene.h"

/* A kernel that two threads ran, of which only the last spans are known. */
static void share(struct graph *g)
{
    for (uint32_t i = 0; i < g->nnodes; i++) {
        if (g->kind[i] == NODE_BACKEND) {
            graph_detail(g, i)->backend.spread_flops = 7;
            graph_detail(g, i)->backend.spread_bytes = 210;
        }
        if (g->kind[i] != NODE_KERNEL || !graph_work_of(g, i) || !graph_extra_of(g, i)->flops)
            continue;
        struct graph_extra *x = graph_extra(g, i);
        const struct graph_work *w = graph_work_of(g, i);
        x->busiest = w->total / 2 + 1;
        x->any = w->total / 20;
        x->any_total = w->total / 10;
        x->any_bytes = x->bytes / 10;
        x->any_flops = x->flops / 10;
    }
}

static void work_of_several_threads_is_restored(void **state)
{
    (void)state;
    struct snapshot *s = snapshot_new(NULL), *back = snapshot_new(NULL);
    struct bricks_coder *out = bricks_coder_new(), *in = bricks_coder_new();
    struct bytes bytes = {0};
    brick_scene(s, 1);
    struct bricks *b = (struct bricks *)s->bricks;
    share((struct graph *)b->tree);
    roofline_fill(&b->roofline, &s->arena, b->tree);
    bricks_write(out, &bytes, b);
    struct byte_reader reader = {.p = bytes.p, .end = bytes.p + bytes.n};
    const struct bricks *read = bricks_read(in, &reader, back);
    assert_non_null(read);
    back->bricks = read;
    const struct roofline *r = &b->roofline, *x = &read->roofline;
    assert_int_equal(x->npoints, r->npoints);
    assert_int_equal(x->nroofs, r->nroofs);
    int shared = 0;
    for (uint32_t i = 0; i < r->npoints; i++) {
        assert_int_equal(x->points[i].over, r->points[i].over);
        assert_int_equal(x->points[i].elapsed, r->points[i].elapsed);
        assert_int_equal(x->points[i].of_total, r->points[i].of_total);
        assert_true(x->points[i].flops == r->points[i].flops);
        shared += r->points[i].over == OVER_SPANS;
    }
    assert_true(shared >= 2);
    assert_float_equal(x->roofs[0].flops_spread, 0.007, 1e-12);
    assert_float_equal(x->roofs[0].bytes_spread, 0.21, 1e-12);
    bricks_coder_free(out);
    bricks_coder_free(in);
    free(bytes.p);
    snapshot_unref(s);
    snapshot_unref(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_of_several_threads_is_restored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
