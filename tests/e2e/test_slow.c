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

enum { MOST_BYTES = 5 * SLOW_BYTES / 2, TRIES = 3 };

static bool answers_keys(void)
{
    static const struct {
        const char *key, *text;
        bool shown;
    } table[] = {{"2", "counters by", true}, {"1", "processes by", true}, {"/", "search:", true},
                 {"x", "search: x", true},   {"\033", "search:", false},  {"p", "PAUSED", true},
                 {"p", "PAUSED", false}};
    struct slow_line s;
    bool soon = true;
    slow_line_start(&s, "0.2");
    for (size_t i = 0; i < sizeof table / sizeof *table && soon; i++) {
        slow_line_seconds(&s, 1);
        pty_keys(&s.p, table[i].key);
        const size_t n = slow_line_until(&s, table[i].text, table[i].shown);
        soon = n <= MOST_BYTES;
        if (!soon)
            print_message("'%s' was answered after %zu bytes, %.1f s\n", table[i].key, n,
                          (double)n / SLOW_BYTES);
    }
    pty_end(&s.p);
    return soon;
}

/* On a machine that stood still for seconds, rooftop rightly took the terminal for one that never
 * answers: it is started again. One that queues its output does so each time. */
TEST(keys_are_answered_before_much_else)
{
    bool soon = false;
    for (int i = 0; i < TRIES && !soon; i++)
        soon = answers_keys();
    assert_true(soon);
}

/* The share of the line that was used, of five seconds. */
static double measure_use(void)
{
    struct slow_line s;
    slow_line_start(&s, "0.2");
    const size_t from = s.bytes, room = s.room;
    slow_line_seconds(&s, 5);
    const double share = (double)(s.bytes - from) / (double)(s.room - room);
    pty_end(&s.p);
    return share;
}

/* Data that comes five times a second leaves half of the line free. */
TEST(data_leave_half_of_the_line)
{
    double share = 1;
    for (int i = 0; i < TRIES && share > 0.8; i++) {
        share = measure_use();
        assert_true(share > 0);
    }
    if (share > 0.8)
        fail_msg("%.0f %% of the line is used", 100 * share);
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
