/*
 * The real program on a line of 9600 baud, 960 bytes a second: what a key does is seen before much
 * else has come. Counted in bytes, and with room: on a busy machine the line is slower than that,
 * and how fast it is has to be guessed anew; what was queued would be more than 4 KB. The second
 * itself is what bench/slow.py measures. (Forks: not for TSan.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/slow_line.h"

static void keys_are_answered_before_much_else(void **state)
{
    (void)state;
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

/* While data come five times a second the line is not full. */
static void data_leave_half_of_the_line(void **state)
{
    (void)state;
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

/* The shell gets no answer that was meant for us. */
static void no_answer_is_left_behind(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_answered_before_much_else),
        cmocka_unit_test(data_leave_half_of_the_line),
        cmocka_unit_test(no_answer_is_left_behind),
    };
    return cmocka_run_group_tests_name("slow", tests, NULL, NULL);
}
