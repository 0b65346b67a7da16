#include "support/slow_line.h"

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

enum { STEP_NS = 1000000000 / SLOW_STEPS, MOST_DUE = SLOW_STEPS };

static const char *const env[] = {"TERM=xterm-256color",
                                  "COLORTERM=truecolor",
                                  "LC_ALL=C.UTF-8",
                                  "ROOFTOP_CONFIG=/dev/null",
                                  "NO_COLOR",
                                  NULL};

static void question(struct slow_line *s, const char *buf, size_t n)
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

static uint64_t read_line_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Steps since the last time. Who was not woken for longer has stood still, and the line with it. */
static size_t count_due_steps(struct slow_line *s)
{
    const uint64_t now = read_line_clock(), due = s->ns ? (now - s->ns) / STEP_NS : 1;
    s->ns = due > MOST_DUE || !s->ns ? now : s->ns + due * STEP_NS;
    return due > MOST_DUE ? MOST_DUE : (size_t)due;
}

static bool carry_step(struct slow_line *s)
{
    char buf[SLOW_BYTES / SLOW_STEPS];
    ssize_t n = read(s->p.master, buf, sizeof buf);
    if (n <= 0)
        return false;
    vt_feed(s->p.vt, buf, (size_t)n);
    s->bytes += (size_t)n;
    question(s, buf, (size_t)n);
    return true;
}

void slow_line_carry(struct slow_line *s)
{
    const struct timespec t = {.tv_nsec = STEP_NS};
    nanosleep(&t, NULL);
    const size_t due = count_due_steps(s);
    s->room += due * (SLOW_BYTES / SLOW_STEPS);
    for (size_t i = 0; i < due && carry_step(s); i++)
        ;
}

size_t slow_line_until(struct slow_line *s, const char *text, bool shown)
{
    const size_t from = s->bytes, end = s->room + (size_t)60 * SLOW_BYTES;
    while (s->room < end) {
        if (vt_find(s->p.vt, text, NULL, NULL) == shown)
            return s->bytes - from;
        slow_line_carry(s);
    }
    fail_msg("'%s' is %s:\n%s", text, shown ? "not shown" : "still there", vt_text(s->p.vt));
    return 0;
}

void slow_line_seconds(struct slow_line *s, size_t n)
{
    const size_t end = s->room + n * SLOW_BYTES;
    while (s->room < end)
        slow_line_carry(s);
}

void slow_line_start(struct slow_line *s, const char *interval)
{
    const char *bin[] = {"", "-d", interval, NULL};
    char path[256];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/rooftop", build ? build : "build/release");
    bin[0] = path;
    memset(s, 0, sizeof *s);
    assert_int_equal(
        pty_start(&s->p, &(struct pty_config){.argv = bin, .env = env, .cols = 80, .rows = 24}), 0);
    slow_line_until(s, "processes by", true);
    slow_line_seconds(s, 2); /* rooftop has measured the line's speed by then */
}
