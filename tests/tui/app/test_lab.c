/* The lab view: runs a process that measures (here a script that says what one said), shows what it
 * says, ends it. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/stage.h"
#include "tui/app/app.h"
#include "support/test.h"

static struct stage s;
static char script[64];

/* What rooftop starts as itself. */
static void say(const char *lines)
{
    snprintf(script, sizeof script, "/tmp/rooftop-lab-%d", (int)getpid());
    FILE *f = fopen(script, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", lines);
    fclose(f);
    chmod(script, 0755);
    setenv("ROOFTOP_SELF", script, 1);
}

static const char measured[] = "echo target x86-64\n"
                               "echo counters no PMU\n"
                               "echo run balanced interpreter 2e-6 2e-6 3e9 - - - - - - - - - -\n"
                               "echo run balanced compiled 4e-7 5e-7 3e9 - - - - - - - - - -\n";

FIXTURE(teardown)
{
    unlink(script);
    stage_close(&s);
}

/* Handles what comes until the screen has this text, or has it no more. */
static void wait_until(const char *text, bool there)
{
    for (int i = 0; i < 1000 && stage_sees(&s, text) != there; i++) {
        struct pollfd p = {.fd = app_job_fd(s.a), .events = POLLIN};
        poll(&p, 1, 100);
        app_job_done(s.a);
        stage_look(&s);
    }
    if (stage_sees(&s, text) != there)
        fail_msg("%s '%s' in\n%s", there ? "no" : "still", text, s.screen);
}

static void wait_for(const char *text)
{
    wait_until(text, true);
}

TEST_WITH(a_key_measures_and_the_table_and_gates_are_shown, NULL, teardown)
{
    char lines[1000];
    snprintf(lines, sizeof lines,
             "[ \"$1 $2 $3\" = 'lab validate --measure' ] || exit 3\n%secho complete", measured);
    say(lines);
    stage_open(&s, "vm", 120, 40, 3);
    stage_view(&s, "lab");
    assert_true(stage_sees(&s, "Nothing was measured yet. R runs"));
    stage_key(&s, 'R');
    wait_for("deviation from model");
    wait_for("core clock 3.00 GHz; compiled: x86-64");
    wait_until("measuring", false);
    assert_true(stage_sees(&s, "PASS  balanced ops/cycle"));
    assert_true(stage_sees(&s, "over 90 %: no PMU"));
    assert_true(stage_sees(&s, "balanced              0.50")); /* 3000 ops in 6000 cycles */
    assert_true(stage_sees(&s, "2.50"));
    assert_false(stage_sees(&s, "not complete"));
}

TEST_WITH(x_ends_it_and_keeps_what_was_measured, NULL, teardown)
{
    char lines[1000];
    snprintf(lines, sizeof lines, "%ssleep 100", measured);
    say(lines);
    stage_open(&s, "vm", 80, 24, 3);
    stage_view(&s, "lab");
    stage_key(&s, 'R');
    wait_for("measuring: 2 of 24");
    stage_key(&s, 'R');
    assert_true(stage_sees(&s, "the lab measures already"));
    stage_key(&s, 'x');
    assert_true(stage_sees(&s, "not complete: cancelled"));
    assert_true(stage_sees(&s, "balanced ops/cycle"));
    stage_key(&s, 'x');
    assert_true(stage_sees(&s, "nothing is measured now"));
}

TEST_WITH(a_crash_is_told, NULL, teardown)
{
    say("kill -ILL $$");
    stage_open(&s, "vm", 80, 24, 3);
    stage_view(&s, "lab");
    stage_key(&s, 'R');
    wait_for("ended by signal 4");
}

TEST_WITH(a_shared_machine_is_not_measured, NULL, teardown)
{
    say("exit 0");
    stage_open(&s, "vm", 80, 24, 3);
    app_set_readonly(s.a, true);
    stage_view(&s, "lab");
    stage_key(&s, 'R');
    assert_true(stage_sees(&s, "readonly"));
}
