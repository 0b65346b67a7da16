/* not for TSan: rooftop check golden diff on a terminal: one of several differences is accepted,
 * and the stored trace has it afterwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/temp_folder.h"
#include "support/test.h"

static const char *const env[] = {"TERM=xterm-256color",
                                  "LC_ALL=C.UTF-8",
                                  "NO_COLOR",
                                  "TERMINFO",
                                  "ROOFTOP_CONFIG=/dev/null",
                                  "ASAN_OPTIONS=detect_leaks=0",
                                  NULL};

static void check(struct pty *p, bool ok, const char *what)
{
    if (!ok)
        fail_msg("%s: state %d, status %#x, screen:\n%s", what, p->state, (unsigned)p->status,
                 vt_text(p->vt));
}

static void shell(const char *line, int status)
{
    program_answers(line, status, "", "");
}

/* Starts golden diff of a trace whose input has changed since. */
static void start(struct pty *p)
{
    char folder[64];
    program_needed();
    shell("echo one >$D/in; rm -f $D/in2; rm -rf $D/g; ASAN_OPTIONS=detect_leaks=0 "
          "$BIN golden capture --folder $D/g t -- sh -c 'cat $D/in; cat $D/in2 2>/dev/null; "
          "true'",
          0);
    shell("echo more >>$D/in", 0);
    snprintf(folder, sizeof folder, "%s/g", temp_folder);
    const char *argv[] = {program_rooftop(), "golden", "diff", "--folder", folder, "t", NULL};
    const struct pty_config c = {.argv = argv, .env = env, .cols = 100, .rows = 30};
    assert_int_equal(pty_start(p, &c), 0);
    check(p, pty_until_text(p, "golden trace t:") && pty_until_text(p, "w store"), "the review");
}

TEST(all_are_accepted)
{
    struct pty p;
    start(&p);
    pty_keys(&p, "Aw");
    check(&p, pty_until_state(&p, PTY_GONE) && WIFEXITED(p.status) && WEXITSTATUS(p.status) == 0,
          "ends with 0");
    check(&p, pty_modes_restored(&p), "gives the terminal back");
    pty_end(&p);
    shell("ASAN_OPTIONS=detect_leaks=0 $BIN golden check --folder $D/g t", 0);
}

TEST(one_is_accepted)
{
    struct pty p;
    start(&p);
    pty_keys(&p, "ar");
    check(&p, pty_until_text(&p, "1 accepted, 1 rejected"), "what was decided");
    pty_keys(&p, "w");
    check(&p, pty_until_state(&p, PTY_GONE) && WIFEXITED(p.status) && WEXITSTATUS(p.status) == 9,
          "ends with 9: some are left");
    pty_end(&p);
    shell("ASAN_OPTIONS=detect_leaks=0 $BIN golden check --folder $D/g t", 9);
}

TEST(leaving_changes_nothing)
{
    struct pty p;
    start(&p);
    shell("cp $D/g/t.json $D/before", 0);
    pty_keys(&p, "Aq");
    check(&p, pty_until_state(&p, PTY_GONE) && WIFEXITED(p.status) && WEXITSTATUS(p.status) == 9,
          "ends with 9");
    pty_end(&p);
    shell("cmp $D/g/t.json $D/before", 0);
}

TEST_MAIN(temp_folder_make, temp_folder_remove)
