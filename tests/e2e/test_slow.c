/*
 * The real program on a line of 9600 baud (960 bytes a second): the effect of a key is shown
 * before much else is sent. Counted in bytes, generously: on a busy machine the line is slower,
 * and rooftop measures its speed anew. If output were queued, it would be more than 4 KB.
 * bench/slow.py measures the time. (Forks: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/slow_line.h"
#include "support/test.h"

TEST(keys_are_answered_before_much_else)
{
    static const struct {
        const char *key, *text;
        bool shown;
    } table[] = {{"2", "counters by", true}, {"1", "processes by", true}, {"/", "search:", true},
                 {"x", "search: x", true},   {"\033", "search:", false},  {"p", "PAUSED", true},
                 {"p", "PAUSED", false}};
    struct slow_line s;
    slow_line_start(&s, "0.2");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        slow_line_seconds(&s, 1);
        pty_keys(&s.p, table[i].key);
        size_t n = slow_line_until(&s, table[i].text, table[i].shown);
        if (n > 5 * SLOW_BYTES / 2)
            fail_msg("'%s' was answered after %zu bytes, %.1f s", table[i].key, n,
                     (double)n / SLOW_BYTES);
    }
    pty_end(&s.p);
}

/* Data that comes five times a second leaves half of the line free. */
TEST(data_leave_half_of_the_line)
{
    struct slow_line s;
    slow_line_start(&s, "0.2");
    size_t from = s.bytes;
    slow_line_seconds(&s, 5);
    size_t used = s.bytes - from;
    if (used > 5 * SLOW_BYTES * 8 / 10)
        fail_msg("%zu of %d bytes", used, 5 * SLOW_BYTES);
    assert_true(used > 0);
    pty_end(&s.p);
}

/* After the end, no answer to rooftop's requests is left for the shell to read. */
TEST(no_answer_is_left_behind)
{
    struct slow_line s;
    slow_line_start(&s, "0.2");
    pty_keys(&s.p, "\003");
    for (int i = 0; i < 10 * SLOW_STEPS && s.p.state != PTY_GONE; i++) {
        slow_line_carry(&s);
        if (i % SLOW_STEPS == 0 && vt_cursor_visible(s.p.vt))
            pty_pump(&s.p, 0);
    }
    assert_true(pty_until_state(&s.p, PTY_GONE));
    assert_true(pty_modes_restored(&s.p));
    pty_end(&s.p);
}
