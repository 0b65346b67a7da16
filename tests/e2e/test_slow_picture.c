/* What a slow line gets in slices becomes the complete picture. A test program of its own, because
 * it takes long, most of it asleep. (Forks: not for TSan.) */
#include <stdio.h>
#include <string.h>

#include "support/slow_line.h"
#include "support/test.h"

/* Whether nothing came for two seconds. Each slice waits for an answer to the previous one, which
 * may take long on a busy machine; only a picture that never stands still is wrong. */
static bool settled(struct slow_line *s)
{
    for (int i = 0; i < 60; i++) {
        size_t before = s->bytes;
        slow_line_seconds(s, 2);
        if (s->bytes == before)
            return true;
    }
    return false;
}

static bool comes_whole(void)
{
    static char slices[65536];
    struct slow_line s;
    slow_line_start(&s, "3600"); /* only two samples */
    assert_true(settled(&s));
    snprintf(slices, sizeof slices, "%s", vt_text(s.p.vt));
    pty_keys(&s.p, "\014"); /* ^L redraws everything */
    assert_true(settled(&s));
    const bool same = strcmp(vt_text(s.p.vt), slices) == 0;
    if (!same)
        fprintf(stderr, "slices:\n%s\nredrawn:\n%s\n", slices, vt_text(s.p.vt));
    pty_end(&s.p);
    return same;
}

/* The slices of a picture that does not change add up to the complete picture. Where the program
 * got no processor for two seconds, the picture seemed to be complete: then it is tried again. */
TEST(the_picture_becomes_whole)
{
    bool whole = false;
    for (int i = 0; i < 3 && !whole; i++)
        whole = comes_whole();
    assert_true(whole);
}
