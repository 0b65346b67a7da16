/* rooftop alone inside a Slurm allocation: this host first, and the others by the key M. A script
 * in the place of srun starts rooftop here; a real Slurm has its turn in test_fleet.c. Forks: not
 * for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* Notes the node and what is started there, and starts it. */
static const char srun[] =
    "#!/bin/sh\n"
    "while :; do case $1 in --nodelist=*) node=${1#*=} ;; --*) ;; *) break ;; esac; shift; done\n"
    "echo \"$node $1\" >>\"$D/started\"\n"
    "case $node in bad*) echo \"slurmstepd: error: execve(): $1: No such file or directory\" >&2\n"
    "  exit 2 ;; esac\n"
    "exec \"$@\"\n";

static char path[256], nodes[64];

FIXTURE_STATUS(make_srun)
{
    const int rc = temp_folder_make(state);
    char file[128];
    program_needed();
    temp_folder_put("srun", srun);
    snprintf(file, sizeof file, "%s/srun", temp_folder);
    chmod(file, 0700);
    snprintf(path, sizeof path, "PATH=%s:%s", temp_folder, "/usr/local/bin:/usr/bin:/bin");
    return rc;
}

static void start_in_allocation(struct pty *t, const char *list)
{
    const char *argv[] = {program_rooftop(), "-d", "0.5", NULL};
    const char *env[] = {PTY_XTERM, path, nodes, "SLURM_NODELIST", "ROOFTOP_SRUN", NULL};
    snprintf(nodes, sizeof nodes, "SLURM_JOB_NODELIST=%s", list);
    assert_int_equal(
        pty_start(t, &(struct pty_config){.argv = argv, .env = env, .cols = 80, .rows = 24}), 0);
}

static void leave(struct pty *t)
{
    pty_keys(t, "q");
    assert_true(pty_until_state(t, PTY_GONE));
    assert_int_equal(t->status, 0);
    pty_end(t);
}

static bool was_srun_started(void)
{
    char file[128];
    snprintf(file, sizeof file, "%s/started", temp_folder);
    return access(file, F_OK) == 0;
}

TEST_WITH(the_hosts_of_an_allocation_are_a_key_away, make_srun, temp_folder_remove)
{
    struct pty t;
    start_in_allocation(&t, "n[1-2]");
    assert_true(pty_until_text(&t, "this Slurm allocation has 2 hosts: M shows them all"));
    assert_true(pty_until_text(&t, "─ cpu ─"));
    pty_settle(&t);
    assert_false(was_srun_started()); /* nothing runs on nodes that nobody looks at */
    pty_keys(&t, "M");
    assert_true(pty_until_text(&t, "2 hosts: 2 live"));
    pty_keys(&t, "1");
    assert_true(pty_until_text(&t, "─ cpu ─"));
    leave(&t);
    program_answers("sort $D/started | cut -d' ' -f1 | tr '\\n' ' '", 0, "n1 n2 ", "");
    /* the rooftop of this path, which a cluster has everywhere; srun finds no other one */
    program_answers("cut -d' ' -f2 $D/started | sort -u | grep -c '^/.*rooftop$'", 0, "1", "");
}

TEST_WITH(a_node_without_rooftop_is_told, make_srun, temp_folder_remove)
{
    struct pty t;
    start_in_allocation(&t, "n1,bad2");
    assert_true(pty_until_text(&t, "M shows them all"));
    pty_keys(&t, "M");
    assert_true(pty_until_text(&t, "make portable"));
    leave(&t);
}

TEST_WITH(one_node_is_this_host, make_srun, temp_folder_remove)
{
    struct pty t;
    start_in_allocation(&t, "n1");
    assert_true(pty_until_text(&t, "─ cpu ─"));
    pty_settle(&t);
    assert_false(vt_find(t.vt, "allocation", NULL, NULL));
    leave(&t);
}

TEST_WITH(without_srun_it_is_told_and_this_host_is_watched, make_srun, temp_folder_remove)
{
    struct pty t;
    temp_folder_put("empty/file", "");
    snprintf(path, sizeof path, "PATH=%s/empty", temp_folder);
    start_in_allocation(&t, "n[1-2]");
    assert_true(pty_until_text(&t, "srun: No such file"));
    assert_true(pty_until_text(&t, "─ cpu ─"));
    leave(&t);
}

TEST_MAIN(NULL, NULL)
