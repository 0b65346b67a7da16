/* Advice that changes the machine: complete commands, the least intrusive first, with side effects
 * and how to undo them; several rows of doctor about one thing agree. Forks: not for TSan. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/advice.h"
#include "backends/common/cgroup.h"
#include "engine/live/source.h"
#include "support/procfs.h"
#include "support/program.h"
#include "support/test.h"

extern const struct source_ops source_proc, source_perf;

TEST(every_level_of_perf_event)
{
    char text[ADVICE_BYTES], set[64], undo[32];
    for (int now = 1; now <= 4; now++)
        for (int need = 0; need < now && need <= 2; need++) {
            advice_paranoid(now, need, text);
            assert_true(strlen(text) < ADVICE_BYTES - 1); /* the text was not cut off */
            assert_int_equal(strncmp(text, "run rooftop with sudo", 21), 0);
            snprintf(set, sizeof set, "`sudo sysctl kernel.perf_event_paranoid=%d`: every user may",
                     need);
            snprintf(undo, sizeof undo, "(=%d undoes it)", now);
            assert_non_null(strstr(text, set));
            assert_non_null(strstr(text, undo));
            assert_int_equal(strstr(text, "setcap cap_perfmon+ep") != NULL, now < 3);
        }
    assert_non_null(strstr(advice_paranoid(1, 0, text), "what other users run"));
}

/* A limit that is already higher is never lowered, and unknown limits get no advice. */
TEST(the_limit_of_locked_memory)
{
    static const struct {
        const char *now, *set, *undo;
    } cases[] = {{"516\n", "perf_event_mlock_kb=1032`", "(=516 undoes it)"},
                 {"2000\n", "perf_event_mlock_kb=4000`", "(=2000 undoes it)"},
                 {"0\n", NULL, NULL},
                 {"-1\n", NULL, NULL},
                 {"2147483647\n", NULL, NULL},
                 {"", NULL, NULL}};
    procfs_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[ADVICE_BYTES];
        procfs_write("/proc/sys/kernel/perf_event_mlock_kb", "%s", cases[i].now);
        advice_locked_memory(text);
        assert_true(strlen(text) < ADVICE_BYTES - 1);
        assert_int_equal(strncmp(text, "end other programs of yours", 27), 0);
        assert_non_null(strstr(text, "`ulimit -l`"));
        assert_int_equal(strstr(text, "sysctl") != NULL, cases[i].set != NULL);
        if (cases[i].set && (!strstr(text, cases[i].set) || !strstr(text, cases[i].undo) ||
                             !strstr(text, "every user may then lock")))
            fail_msg("%s", text);
    }
    procfs_free();
}

/* --- doctor's rows about control groups --- */

struct rows {
    char proc_why[256], perf_why[256], proc_advice[320], perf_advice[320];
    enum probe_state proc;
};

static void keep(void *ctx, const struct probe_finding *c)
{
    struct rows *r = ctx;
    if (strcmp(c->id, "proc.cgroup") == 0) {
        snprintf(r->proc_why, sizeof r->proc_why, "%s", c->why);
        snprintf(r->proc_advice, sizeof r->proc_advice, "%s", c->enable ? c->enable : "");
        r->proc = c->state;
    }
    if (strcmp(c->id, "perf.cgroup") == 0) {
        snprintf(r->perf_why, sizeof r->perf_why, "%s", c->why);
        snprintf(r->perf_advice, sizeof r->perf_advice, "%s", c->enable ? c->enable : "");
    }
}

TEST(cgroups_are_there_or_not_for_all_rows)
{
    static const struct {
        const char *file;
        enum probe_state state;
        const char *why, *advice;
    } layouts[] = {
        {NULL, PROBE_NO, "no cgroup file system", "sudo mount -t cgroup2"},
        {"/sys/fs/cgroup/cpu/cgroup.procs", PROBE_NO, "version 1 only", "boot with"},
        {"/sys/fs/cgroup/unified/cgroup.controllers", PROBE_PARTIAL, "cgroup/unified", "boot with"},
        {"/sys/fs/cgroup/cgroup.controllers", PROBE_YES, "at /sys/fs/cgroup", ""},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        struct rows r = {.proc_why = ""};
        procfs_new();
        procfs_machine(2);
        if (layouts[i].file)
            procfs_write(layouts[i].file, "cpu\n");
        source_proc.probe(keep, &r);
        source_perf.probe(keep, &r);
        procfs_free();
        assert_int_equal(r.proc, layouts[i].state);
        assert_non_null(strstr(r.proc_why, layouts[i].why));
        assert_int_equal(strncmp(r.proc_advice, layouts[i].advice, strlen(layouts[i].advice)), 0);
        /* the two rows must not contradict each other */
        bool none = strstr(r.proc_why, "no cgroup file system") != NULL;
        if (none != (strstr(r.perf_why, "no cgroup file system") != NULL))
            fail_msg("'%s', and '%s'", r.proc_why, r.perf_why);
        if (none)
            assert_string_equal(r.perf_advice, r.proc_advice);
        if (r.proc == PROBE_YES)
            assert_null(strstr(r.perf_advice, "mount"));
    }
}

/* What no text of rooftop may advise. */
TEST(nothing_unsafe_is_advised)
{
    static const char *const unsafe[] = {
        "paranoid=-1",        "remount,hidepid=0", "chmod 777", "chmod -R",
        "seccomp=unconfined", "--privileged",      "mode=755",  "setenforce 0",
        "cap_sys_ptrace+ep",  "cap_sys_admin+ep",  "chmod u+s"};
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++) {
        struct program p;
        char line[128];
        snprintf(line, sizeof line, "grep -rnF -e '%s' src README.md docs", unsafe[i]);
        program_run(&p, line);
        if (p.status != 1)
            fail_msg("'%s' is advised here:\n%s%s", unsafe[i], p.out, p.err);
        program_free(&p);
    }
}
