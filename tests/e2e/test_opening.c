/* not for TSan: The real program in a terminal opens a profile that takes a while. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/rocpd_file.h"
#include "support/skip.h"
#include "support/test.h"

static struct rocpd_file file;

FIXTURE(make_file)
{
    rocpd_file_open(&file, "long");
    rocpd_file_tables(&file, "_a", "g1");
    rocpd_file_names(&file);
    rocpd_file_sql(&file, "PRAGMA synchronous = OFF; BEGIN");
    rocpd_file_sql(&file,
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                   "1500000) INSERT INTO [rocpd_kernel_dispatch@](id, dispatch_id, start, [end], "
                   "queue_id, kernel_id) SELECT i, i, i * 100, i * 100 + 50 + i % 7, i % 4, "
                   "1 + i % 2 FROM n");
    rocpd_file_sql(&file, "COMMIT");
    rocpd_file_close(&file);
}

FIXTURE(remove_file)
{
    rocpd_file_remove(&file);
}

static void start(struct pty *p, const char *const *argv)
{
    static const char *const env[] = {PTY_XTERM, NULL};
    program_needed();
    struct pty_config c = {.argv = argv, .env = env};
    assert_int_equal(pty_start(p, &c), 0);
}

static void see(struct pty *p, const char *text)
{
    if (pty_until_text(p, text))
        return;
    print_message("%s\n", vt_text(p->vt));
    fail_msg("'%s' is not shown", text);
}

struct race {
    const char *wanted, *late;
};

static bool decided(struct pty *p, const void *arg)
{
    const struct race *r = arg;
    return p->state == PTY_GONE || vt_find(p->vt, r->wanted, NULL, NULL) ||
           (r->late && vt_find(p->vt, r->late, NULL, NULL));
}

/* Expects the text while a file is being opened. A fast machine may have opened it already: then
 * there is nothing to test, and the screen shows `late`, or (NULL) the program ends with status
 * 0. */
static void see_in_time(struct pty *p, const char *wanted, const char *late)
{
    const struct race r = {wanted, late};
    pty_until(p, decided, &r);
    if (vt_find(p->vt, wanted, NULL, NULL))
        return;
    bool opened = late ? vt_find(p->vt, late, NULL, NULL) : p->state == PTY_GONE && p->status == 0;
    if (!opened)
        see(p, wanted); /* it says what is being done */
    pty_end(p);
    skip_because("this machine opens the file before it can be given up");
}

#define OPENED "Launch bound"

/* First the bar is shown, then the content of the file, in the same frame. */
TEST(the_screen_is_there_before_the_profile)
{
    struct pty p;
    const char *argv[] = {program_rooftop(), file.path, NULL};
    start(&p, argv);
    see_in_time(&p, "gives it up", OPENED);
    see(&p, file.path);
    see(&p, OPENED);
    assert_true(pty_until_no_text(&p, "gives it up"));
    pty_keys(&p, "q");
    assert_true(pty_until_state(&p, PTY_GONE) && p.status == 0);
    pty_end(&p);
}

TEST(escape_gives_it_up)
{
    struct pty p;
    const char *argv[] = {program_rooftop(), file.path, NULL};
    start(&p, argv);
    see_in_time(&p, "gives it up", OPENED);
    pty_keys(&p, "\033");
    see_in_time(&p, "opening it was given up", OPENED);
    pty_keys(&p, "q");
    assert_true(pty_until_state(&p, PTY_GONE) && p.status == 0);
    pty_end(&p);
}

/* Quitting does not wait for the file. */
TEST(quitting_needs_no_profile)
{
    struct pty p;
    const char *argv[] = {program_rooftop(), file.path, NULL};
    start(&p, argv);
    see_in_time(&p, "gives it up", OPENED);
    pty_keys(&p, "q");
    assert_true(pty_until_state(&p, PTY_GONE) && p.status == 0);
    assert_true(pty_modes_restored(&p));
    pty_end(&p);
}

/* A signal ends the command at once, while it reads, and removes its bar. */
TEST(a_command_shows_a_bar)
{
    struct pty p;
    const char *f = file.path; /* several times, so that opening takes longer */
    const char *argv[] = {
        program_rooftop(), "path", "--format", "json", "-o", "/dev/null", f, f, f, f, NULL};
    start(&p, argv);
    see_in_time(&p, "  [", NULL);
    pty_signal(&p, SIGINT);
    assert_true(pty_until_state(&p, PTY_GONE));
    if (p.status == 0) {
        pty_end(&p);
        skip_because("this machine reads the files before it can be interrupted");
    }
    assert_true(WIFSIGNALED(p.status) && WTERMSIG(p.status) == SIGINT);
    assert_null(strstr(vt_text(p.vt), "  ["));
    pty_end(&p);
}

TEST_MAIN(make_file, remove_file)
