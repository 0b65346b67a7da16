/* not for TSan: The real program shows the folder of a job that runs, and reads it again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/temp_folder.h"
#include "support/test.h"

static const char *const env[] = {"TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR",
                                  "ROOFTOP_CONFIG=/dev/null", NULL};

static void put_rank(const char *state, const char *host)
{
    char path[300];
    snprintf(path, sizeof path, "%s/.rank-00000.aaaaaa", temp_folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/.rank-00000.aaaaaa/new", temp_folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "{\"schema\":\"rooftop.rank/1\",\"state\":\"%s\",\"rank\":0,\"ranks\":1,"
            "\"host\":\"%s\",\"start_us\":1700000000000000}",
            state, host);
    fclose(file);
    char to[300];
    snprintf(to, sizeof to, "%s/.rank-00000.aaaaaa/summary.json", temp_folder);
    assert_int_equal(rename(path, to), 0);
}

static void expect(struct pty *p, bool ok, const char *what)
{
    if (ok)
        return;
    print_message("%s\n", vt_text(p->vt));
    fail_msg("%s: state %d, status %#x", what, p->state, (unsigned)p->status);
}

TEST_WITH(a_job_that_runs_is_read_again_without_a_key, temp_folder_make, temp_folder_remove)
{
    struct pty p;
    program_needed();
    put_rank("running", "earlyhost");
    const char *argv[] = {program_rooftop(), temp_folder, NULL};
    const struct pty_config c = {.argv = argv, .env = env, .cols = 120, .rows = 30};
    assert_int_equal(pty_start(&p, &c), 0);
    expect(&p, pty_until_text(&p, "earlyhost"), "the rank");
    put_rank("running", "laterhost");
    expect(&p, pty_until_text(&p, "laterhost"), "what is new");
    put_rank("ending", "lasthost");
    expect(&p, pty_until_text(&p, "lasthost"), "and again");
    pty_keys(&p, "Q");
    expect(&p, pty_until_state(&p, PTY_GONE), "it ends");
    pty_end(&p);
}
