/*
 * What rooftop leaves behind from its start over some ticks to its end on a terminal is what
 * golden_traces/rooftop_screen.json has: a screen, the exit status, and nothing else. The program
 * is traced by itself. (Forks: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/renacer/trace_file.h"
#include "engine/golden/golden_diff.h"
#include "export/golden/golden_export.h"
#include "engine/syscalls/tracer.h"
#include "support/program.h"
#include "support/pty.h"
#include "support/skip.h"
#include "support/test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#define STORED "golden_traces/rooftop_screen.json"

static void add(void *ctx, const struct syscall_event *e)
{
    golden_builder_add(ctx, e);
}

/* The trace as a golden one. How much was drawn depends on the machine. */
static void make_golden(const char *path, struct golden *out)
{
    struct golden_redactions redactions = {0};
    char why[128], message[800];
    struct error err = ERROR_INIT;
    struct syscall_trace_file file;
    assert_int_equal(
        golden_redact_add(&redactions,
                          "^(stdout|file (/dev/tty|/dev/pts/[0-9]+|/proc/self/fd/[0-9]+)): .*",
                          "the screen", why),
        0);
    /* the runtime of an AMD GPU has a file of its own */
    assert_int_equal(golden_redact_add(&redactions, "^.*hsakmt.*", NULL, why), 0);
    struct golden_builder *b = golden_builder_new(GOLDEN_EFFECTS, &redactions);
    const struct syscall_sink sink = {.event = add, .ctx = b};
    if (syscall_trace_read(path, NULL, &sink, &file, &err) != 0)
        fail_msg("%s", error_format(&err, message, sizeof message));
    assert_int_equal(file.lost, 0);
    if (golden_builder_end(b, out, &err) != 0)
        fail_msg("%s", error_format(&err, message, sizeof message));
    golden_redactions_free(&redactions);
}

/* Whether more was drawn since: each tick changes numbers. */
static bool has_grown(struct pty *p, const void *arg)
{
    return p->raw_len > *(const size_t *)arg;
}

static void use_it(const char *trace)
{
    const char *const argv[] = {program_rooftop(), "trace",       "-f",         "--strings", "0",
                                "--format",        "json",        "-o",         trace,       "--",
                                program_rooftop(), "--no-config", "--interval", "0.1",       NULL};
    struct pty p;
    assert_int_equal(pty_start(&p, &(struct pty_config){.argv = argv}), 0);
    assert_true(pty_until_text(&p, "this host"));
    for (int tick = 0; tick < 3; tick++) {
        size_t now = p.raw_len;
        assert_true(pty_until(&p, has_grown, &now));
    }
    pty_keys(&p, "q");
    assert_true(pty_until_state(&p, PTY_GONE));
    assert_int_equal(p.status, 0);
    assert_true(pty_modes_restored(&p));
    pty_end(&p);
}

TEST(a_screen_and_nothing_else)
{
#ifdef SANITIZED
    skip_because("a build with sanitizers writes and maps other things");
#endif
    program_needed();
    struct tracer_state ptrace = {0};
    for (size_t i = 0; tracers[i]; i++)
        if (strcmp(tracers[i]->name, "ptrace") == 0)
            tracers[i]->probe(&ptrace);
    if (!ptrace.works)
        skip_because("programs cannot be traced here: %s", ptrace.why);
    char path[] = "/tmp/rooftop-screen-XXXXXX", message[800];
    struct error err = ERROR_INIT;
    struct golden now = {0}, stored = {0};
    struct golden_diff d;
    close(mkstemp(path));
    use_it(path);
    make_golden(path, &now);
    unlink(path);
    if (getenv("UPDATE_GOLDEN")) {
        FILE *f = fopen(STORED, "w");
        assert_non_null(f);
        now.name = strdup("rooftop_screen");
        golden_write(f, &now);
        fclose(f);
    }
    if (golden_read(&stored, STORED, &err) != 0)
        fail_msg("%s", error_format(&err, message, sizeof message));
    golden_compare(&stored, &now, &d);
    if (d.n) {
        golden_diff_write(stderr, &stored, &now, &d, 3);
        fail_msg("what rooftop leaves behind differs from " STORED);
    }
    golden_diff_free(&d);
    golden_free(&stored);
    golden_free(&now);
}
