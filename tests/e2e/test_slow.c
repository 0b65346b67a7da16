/*
 * The real program on a line of 9600 baud, 960 bytes a second: what a key does is seen before much
 * else has come. Counted in bytes, and with room: on a busy machine the line is slower than that,
 * and how fast it is has to be guessed anew; what was queued would be more than 4 KB. The second
 * itself is what bench/slow.py measures. (Forks: not for TSan.)
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/pty.h"

enum { BAUD_BYTES = 960, STEPS = 40, CHUNK = BAUD_BYTES / STEPS };

static const char *const env[] = {"TERM=xterm-256color",
                                  "COLORTERM=truecolor",
                                  "LC_ALL=C.UTF-8",
                                  "ROOFTOP_CONFIG=/dev/null",
                                  "NO_COLOR",
                                  NULL};

struct slow {
    struct pty p;
    size_t bytes; /* carried so far */
    char tail[8]; /* the last bytes: a question may be cut */
    size_t ntail;
};

static void question(struct slow *s, const char *buf, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s->ntail == 4)
            memmove(s->tail, s->tail + 1, --s->ntail);
        s->tail[s->ntail++] = buf[i];
        if (s->ntail == 4 && memcmp(s->tail, "\033[5n", 4) == 0 &&
            write(s->p.master, "\033[0n", 4) < 0)
            return;
    }
}

/* One fortieth of a second of the line. */
static void carry(struct slow *s)
{
    char buf[CHUNK];
    struct timespec t = {.tv_nsec = 1000000000 / STEPS};
    nanosleep(&t, NULL);
    ssize_t n = read(s->p.master, buf, sizeof buf);
    if (n <= 0)
        return;
    vt_feed(s->p.vt, buf, (size_t)n);
    s->bytes += (size_t)n;
    question(s, buf, (size_t)n);
}

/* Bytes until the screen shows text (or hides it); fails after a great many. */
static size_t until(struct slow *s, const char *text, bool shown)
{
    size_t from = s->bytes;
    for (int i = 0; i < 60 * STEPS; i++) {
        if (vt_find(s->p.vt, text, NULL, NULL) == shown)
            return s->bytes - from;
        carry(s);
    }
    fail_msg("'%s' is %s:\n%s", text, shown ? "not shown" : "still there", vt_text(s->p.vt));
    return 0;
}

static void seconds(struct slow *s, int n)
{
    for (int i = 0; i < n * STEPS; i++)
        carry(s);
}

static void start(struct slow *s, const char *interval)
{
    const char *bin[] = {"", "-d", interval, NULL};
    char path[256];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/rooftop", build ? build : "build/release");
    bin[0] = path;
    memset(s, 0, sizeof *s);
    assert_int_equal(
        pty_start(&s->p, &(struct pty_config){.argv = bin, .env = env, .cols = 80, .rows = 24}), 0);
    until(s, "processes by", true);
    seconds(s, 2); /* it has learnt what the line carries */
}

static void keys_are_answered_before_much_else(void **state)
{
    (void)state;
    static const struct {
        const char *key, *text;
        bool shown;
    } table[] = {{"2", "counters by", true}, {"1", "processes by", true}, {"/", "search:", true},
                 {"x", "search: x", true},   {"\033", "search:", false},  {"p", "PAUSED", true},
                 {"p", "PAUSED", false}};
    struct slow s;
    start(&s, "0.2");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        seconds(&s, 1);
        pty_keys(&s.p, table[i].key);
        size_t n = until(&s, table[i].text, table[i].shown);
        if (n > 5 * BAUD_BYTES / 2)
            fail_msg("'%s' was answered after %zu bytes, %.1f s", table[i].key, n,
                     (double)n / BAUD_BYTES);
    }
    pty_end(&s.p);
}

/* While data come five times a second the line is not full. */
static void data_leave_half_of_the_line(void **state)
{
    (void)state;
    struct slow s;
    start(&s, "0.2");
    size_t from = s.bytes;
    seconds(&s, 5);
    size_t used = s.bytes - from;
    if (used > 5 * BAUD_BYTES * 8 / 10)
        fail_msg("%zu of %d bytes", used, 5 * BAUD_BYTES);
    assert_true(used > 0);
    pty_end(&s.p);
}

static bool settled(struct slow *s)
{
    for (int i = 0; i < 15; i++) {
        size_t before = s->bytes;
        seconds(s, 2);
        if (s->bytes == before)
            return true;
    }
    return false;
}

/* The slices of a picture that stands still make it whole. */
static void the_picture_becomes_whole(void **state)
{
    (void)state;
    static char slices[65536];
    struct slow s;
    start(&s, "3600"); /* two samples, and no more */
    assert_true(settled(&s));
    snprintf(slices, sizeof slices, "%s", vt_text(s.p.vt));
    pty_keys(&s.p, "\014"); /* ^L draws all anew */
    assert_true(settled(&s));
    assert_string_equal(vt_text(s.p.vt), slices);
    pty_end(&s.p);
}

/* The shell gets no answer that was meant for us. */
static void no_answer_is_left_behind(void **state)
{
    (void)state;
    struct slow s;
    start(&s, "0.2");
    pty_keys(&s.p, "\003");
    for (int i = 0; i < 10 * STEPS && s.p.state != PTY_GONE; i++) {
        carry(&s);
        if (i % STEPS == 0 && vt_cursor_visible(s.p.vt))
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
        cmocka_unit_test(the_picture_becomes_whole),
        cmocka_unit_test(no_answer_is_left_behind),
    };
    return cmocka_run_group_tests_name("slow", tests, NULL, NULL);
}
