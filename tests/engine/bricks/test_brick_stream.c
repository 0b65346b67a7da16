/* Each record of a program is told once, also where the source that reads it is opened again. */

#include "engine/bricks/brick_stream.h"
#include "support/test.h"

TEST(test_once)
{
    struct brick_stream s = {.since_ns = 0};
    bool fresh;
    struct brick_told *a = brick_stream_program(&s, 1, &fresh);
    assert_true(fresh);
    assert_true(brick_told_advance(a, 5, 0));
    assert_true(brick_told_advance(a, 5, 1));
    assert_true(brick_told_advance(a, 5, 7)); /* what was between is overwritten */
    assert_false(brick_told_advance(a, 5, 6));
    assert_false(brick_told_advance(a, 5, 7));
    assert_true(brick_told_advance(a, 0, 0));
    assert_true(brick_told_advance(a, 9, 100));
    a = brick_stream_program(&s, 2, &fresh);
    assert_true(fresh && a->program == 2);
    assert_true(brick_told_advance(a, 5, 0));
    a = brick_stream_program(&s, 1, &fresh); /* again */
    assert_false(fresh);
    assert_false(brick_told_advance(a, 5, 7));
    assert_true(brick_told_advance(a, 5, 8));
    brick_stream_free(&s);
    brick_stream_free(&s);
}
