/* A disk that gets full, at whatever point: told as that, with the path and what helps. (Mounts a
 * file system of its own: skipped where that is not allowed.) */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/own_mounts.h"
#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* Runs a command in a folder on a disk on which 0 to 84 KiB are left; `before` is run while there
 * is room. Each line of p->out: what is left, the status, and what was said on standard error. */
static void run_on_full_disks(struct program *p, const char *before, const char *command)
{
    char mounts[256], line[2048];
    snprintf(mounts, sizeof mounts, "mount -t tmpfs -o size=2M none %s", temp_folder);
    snprintf(line, sizeof line,
             "cd %s; export XDG_STATE_HOME=$PWD/state; for left in 0 4 8 12 16 20 24 28 32 36 44 "
             "52 60 84; do rm -rf ./*; %s; [ $left = 0 ] || head -c ${left}K /dev/zero >room; "
             "cat /dev/zero >full 2>/dev/null; rm -f room; said=$({ %s; } 2>&1 >/dev/null); s=$?; "
             "echo \"$left: $s: $said\" | tr \"\\n\" \" \"; echo; done",
             temp_folder, before, command);
    own_mounts_run(p, mounts, line);
    assert_int_equal(p->status, 0);
    assert_int_equal(program_lines(p->out), 14);
}

/* Every failure is told as one of room; the first one, with nothing left, is a failure. */
static void every_failure_is_of_room(struct program *p, const char *path, int status)
{
    char *rest = NULL;
    size_t failed = 0;
    for (char *line = strtok_r(p->out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        int left, ended;
        assert_int_equal(sscanf(line, "%d: %d:", &left, &ended), 2);
        const bool told = strstr(line, "o space is left on") || strstr(line, "o space left on");
        const bool done = strstr(line, "rooftop: kept in ") || strstr(line, "rooftop: wrote ");
        if ((ended != 0 && ended != status) || (ended != 0 && !told) ||
            (strstr(line, "rooftop: ") && !told && !done) || (told && done) ||
            (told && (!strstr(line, path) || !strstr(line, "free some space"))))
            fail_msg("%s", line);
        failed += told;
        assert_true(left > 0 || told);
    }
    assert_true(failed > 1);
    program_free(p);
}

TEST(a_history_that_is_new)
{
    struct program p;
    run_on_full_disks(&p, "true", "$BIN bench --db x.db --runs 1 --warmup 0 -- true");
    every_failure_is_of_room(&p, "x.db", 7);
}

TEST(a_history_that_is_there)
{
    struct program p;
    run_on_full_disks(&p, "$BIN bench --db x.db --runs 1 --warmup 0 -- true >/dev/null",
                      "$BIN bench --db x.db --runs 1 --warmup 0 -- true x");
    every_failure_is_of_room(&p, "x.db", 7);
    /* the usual one is a courtesy: the status is that of the command */
    run_on_full_disks(&p, "$BIN bench --runs 1 --warmup 0 -- true >/dev/null",
                      "$BIN bench --runs 1 --warmup 0 -- true x");
    every_failure_is_of_room(&p, "state/rooftop/bench.db", 0);
}

TEST(a_session)
{
    struct program p;
    run_on_full_disks(&p, "true", "$BIN record -o s.rts -d 0.1 -- sleep 0.3");
    every_failure_is_of_room(&p, "s.rts", 7);
}

TEST_MAIN(temp_folder_make, temp_folder_remove)
