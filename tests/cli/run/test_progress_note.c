/* The progress line, in a terminal emulator: this program runs itself there. */
#include "cli/run/progress_note.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* --- what runs in the terminal --- */

static volatile sig_atomic_t over;

static void end_steps(int signo)
{
    (void)signo;
    over = 1;
}

/* Shows how far it is until SIGUSR1. */
static void show_steps(void)
{
    struct progress_note note;
    char line[200];
    signal(SIGUSR1, end_steps);
    printf("before\n");
    fflush(stdout);
    progress_note_begin(&note);
    progress_note_guards(getenv("GUARDED"));
    for (int i = 1; !over; i++) {
        snprintf(line, sizeof line,
                 "step %d of many, and a long tail that a narrow terminal cuts "
                 "off\x1b[31m",
                 i);
        progress_note_show(&note, line);
        poll(NULL, 0, 10);
    }
    progress_note_end(&note);
    printf("after\n");
}

__attribute__((constructor)) static void run_in_terminal(void)
{
    if (!getenv("SHOW_STEPS"))
        return;
    show_steps();
    exit(0);
}

static void start_steps(struct pty *p, const char *first, const char *second)
{
    static const char *const argv[] = {"/proc/self/exe", NULL};
    const char *const env[] = {"SHOW_STEPS=1", first, second, NULL};
    assert_int_equal(pty_start(p, &(struct pty_config){.argv = argv, .env = env, .cols = 100}), 0);
}

/* --- tests --- */

TEST(it_is_drawn_in_one_row_and_removed)
{
    struct pty p;
    start_steps(&p, NULL, NULL);
    assert_true(pty_until_text(&p, "of many, and a long tail that a narrow terminal cuts off"));
    assert_true(pty_until_no_text(&p, "step 1 of"));
    pty_resize(&p, 20, 24);
    assert_true(pty_until_no_text(&p, "long tail"));
    assert_true(pty_until_text(&p, "step "));
    pty_settle(&p);
    assert_string_equal(vt_row(p.vt, 2), "");
    assert_null(strstr(p.raw, "\x1b[31m"));
    pty_signal(&p, SIGUSR1);
    assert_true(pty_until_text(&p, "after"));
    assert_true(pty_until_state(&p, PTY_GONE));
    assert_true(pty_until_no_text(&p, "step "));
    pty_end(&p);
}

TEST(a_signal_removes_it_and_what_is_half_written)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    char name[200];
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct pty p;
        snprintf(name, sizeof name, "GUARDED=%s/half", temp_folder);
        temp_folder_put("half", "half");
        start_steps(&p, name, NULL);
        assert_true(pty_until_text(&p, "step "));
        pty_signal(&p, signals[i]);
        assert_true(pty_until_state(&p, PTY_GONE));
        assert_true(WIFSIGNALED(p.status) && WTERMSIG(p.status) == signals[i]);
        assert_true(pty_until_no_text(&p, "step "));
        assert_int_not_equal(access(strchr(name, '=') + 1, F_OK), 0);
        pty_end(&p);
    }
}

/* Neither in CI nor on a terminal that cannot erase a line. */
TEST(where_nobody_looks_nothing_is_drawn)
{
    static const char *const where[] = {"CI=true", "TERM=dumb", "TERM"};
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        struct pty p;
        start_steps(&p, where[i], NULL);
        assert_true(pty_until_text(&p, "before"));
        for (int n = 0; n < 10; n++) /* more than the half second after which it would begin */
            poll(NULL, 0, 100);
        pty_signal(&p, SIGUSR1);
        assert_true(pty_until_text(&p, "after"));
        assert_true(pty_until_state(&p, PTY_GONE));
        assert_null(strstr(p.raw, "step"));
        assert_null(strstr(p.raw, "\x1b[K"));
        pty_end(&p);
    }
}

/* A recording shows how far it is, and says at its end what it wrote. */
TEST(a_recording_tells)
{
    struct pty p;
    char path[200], last[300];
    snprintf(path, sizeof path, "%s/it's.rooftop", temp_folder);
    snprintf(last, sizeof last, "open it: rooftop '%s/it'\\''s.rooftop'", temp_folder);
    const char *const argv[] = {program_rooftop(), "record", "-d", "0.1", "-o", path, NULL};
    program_needed();
    assert_int_equal(pty_start(&p, &(struct pty_config){.argv = argv, .cols = 160}), 0);
    assert_true(pty_until_text(&p, "recording: "));
    assert_true(pty_until_text(&p, " samples, ")); /* not each number is drawn */
    pty_keys(&p, "\x03");
    assert_true(pty_until_text(&p, "rooftop: wrote "));
    assert_true(pty_until_state(&p, PTY_GONE));
    assert_true(pty_until_no_text(&p, "recording: "));
    if (!strstr(p.raw, last))
        fail_msg("%s", p.raw);
    pty_end(&p);
}

TEST_MAIN(temp_folder_make, temp_folder_remove)
