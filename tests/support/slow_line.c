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

void slow_line_carry(struct slow_line *s)
{
    char buf[SLOW_BYTES / SLOW_STEPS];
    struct timespec t = {.tv_nsec = 1000000000 / SLOW_STEPS};
    nanosleep(&t, NULL);
    ssize_t n = read(s->p.master, buf, sizeof buf);
    if (n <= 0)
        return;
    vt_feed(s->p.vt, buf, (size_t)n);
    s->bytes += (size_t)n;
    question(s, buf, (size_t)n);
}

size_t slow_line_until(struct slow_line *s, const char *text, bool shown)
{
    size_t from = s->bytes;
    for (int i = 0; i < 60 * SLOW_STEPS; i++) {
        if (vt_find(s->p.vt, text, NULL, NULL) == shown)
            return s->bytes - from;
        slow_line_carry(s);
    }
    fail_msg("'%s' is %s:\n%s", text, shown ? "not shown" : "still there", vt_text(s->p.vt));
    return 0;
}

void slow_line_seconds(struct slow_line *s, int n)
{
    for (int i = 0; i < n * SLOW_STEPS; i++)
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
