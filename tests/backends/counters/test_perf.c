/* The whole perf source with a fake kernel and a catalog of the test's own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/counters/fake_events.h"
#include "backends/perf_common/target_check.h"
#include "backends/perf_event/catalog.h"
#include "base/arena.h"
#include "base/env.h"
#include "engine/live/source.h"
#include "engine/live/user_tables.h"
#include "support/fake_perf.h"
#include "support/test.h"

extern const struct source_ops source_perf;

/* --- the machine --- */

static struct fake_perf *fake;
static char root[64];
static struct host *host;
static struct source *source;
static struct target target;
static pid_t watched; /* the process of TARGET_PIDS */
static struct snapshot *snap;
static uint64_t now;

static const char *const files[][2] = {
    {"/proc/cpuinfo", "flags : fpu\n"},
    {"/sys/devices/system/cpu/online", "0-1\n"},
    {"/proc/sys/kernel/perf_event_paranoid", "2\n"},
    {"/proc/sys/kernel/nmi_watchdog", "1\n"},
    {"/proc/uptime", "100.0 1\n"},
    {"/proc/self/status", "CapEff:\t0000000000000000\n"},
    {"/proc/70/task/70/stat", "70 (a) S 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 5 1\n"},
};
enum { NFILES = sizeof files / sizeof *files };

static void put(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *p = full + strlen(root); (p = strchr(p + 1, '/'));) {
        *p = '\0';
        mkdir(full, 0700);
        *p = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

FIXTURE(setup)
{
    snprintf(root, sizeof root, "/tmp/rooftop-source-%d", (int)getpid());
    mkdir(root, 0700);
    for (size_t i = 0; i < NFILES; i++)
        put(files[i][0], files[i][1]);
    env_set_root(root);
    fake = fake_perf_new();
    perf_sys_use(&fake->sys);
    arch = &archs[0];
    host = host_new();
    host->ncpus = 2;
    target = (struct target){.kind = TARGET_HOST};
    now = 1000000000;
}

FIXTURE(teardown)
{
    char full[256];
    if (source)
        source_perf.close(source);
    source = NULL;
    snapshot_unref(snap);
    snap = NULL;
    host_unref(host);
    perf_sys_use(NULL);
    fake_perf_free(fake);
    env_set_root(NULL);
    for (size_t i = 0; i < NFILES; i++) {
        snprintf(full, sizeof full, "%s%s", root, files[i][0]);
        for (char *cut = full; cut && strlen(full) >= strlen(root); cut = strrchr(full, '/')) {
            if (cut != full)
                *cut = '\0';
            if (strlen(full) < strlen(root) || remove(full))
                break;
        }
    }
}

static int open_source(struct error *err)
{
    struct source_config config = {.target = &target, .host = host};
    return source_perf.open(&source, &config, err);
}

static void poll_once(void)
{
    snapshot_unref(snap);
    snap = snapshot_new(host);
    snap->cpus = snapshot_alloc(snap, 2 * sizeof *snap->cpus);
    snap->cpus[1].id = 1;
    source_perf.poll(source, snap, now);
    now += 1000000000;
    fake_perf_step(fake);
}

/* Polls until the counter has a value, because events are opened on a thread. */
static const struct counter *wait_for(const char *set, const char *name)
{
    const struct counter *c = NULL;
    for (int i = 0; i < 300000; i++) {
        poll_once();
        c = snapshot_counter(snap, set, name);
        assert_non_null(c);
        if (c->delta.validity != VALUE_PENDING)
            break;
        usleep(100);
    }
    return c;
}

/* Polls until both readers have answered in time for two samples in a row. */
static const struct counter *settled(const char *set, const char *name)
{
    const struct counter *c = wait_for(set, name);
    for (int i = 0, good = 0; i < 10000 && good < 2; i++) {
        poll_once();
        c = snapshot_counter(snap, set, name);
        bool all =
            c->percpu && c->percpu[0].validity == VALUE_OK && c->percpu[1].validity == VALUE_OK;
        good = all ? good + 1 : 0;
    }
    return c;
}

static const struct notice *notice(const char *id)
{
    for (size_t i = 0; i < snap->nnotices; i++)
        if (!strcmp(snap->notices[i].id, id))
            return &snap->notices[i];
    return NULL;
}

/* --- tests --- */

TEST_WITH(first_sample_is_pending_then_counts, setup, teardown)
{
    assert_int_equal(open_source(NULL), 0);
    assert_string_equal(host->pmu, "AMD Zen 4, 6 counters");
    assert_string_equal(host->pmu_arch, "zen4");
    poll_once();
    const struct counter *c = snapshot_counter(snap, "core", "cycles");
    assert_int_equal(c->delta.validity, VALUE_PENDING);
    c = settled("core", "cycles");
    assert_int_equal(c->delta.validity, VALUE_OK);
    assert_true(c->delta.v == 2000); /* 1000 in each step on each of two CPUs */
    assert_true(c->rate.v == 2000);
    assert_int_equal(c->rate.unit, UNIT_COUNT_PER_S);
    assert_non_null(c->percpu);
    assert_true(c->percpu[1].v == 1000);
    assert_int_equal(c->group, snapshot_counter(snap, "core", "instructions")->group);
    const struct counter *pkg = snapshot_counter(snap, "rapl", "pkg");
    assert_int_equal(pkg->rate.unit, UNIT_WATT);
    assert_true(pkg->rate.v == 500); /* counted on one CPU of its mask, scale 0.5 */
    assert_null(pkg->percpu);
    const struct counter *clock = snapshot_counter(snap, "software", "task-clock");
    assert_int_equal(clock->delta.unit, UNIT_SECONDS);
    assert_non_null(notice("perf.watchdog"));
}

/* The event counts from 0 to value, and then stands still. */
static void counts_up_to(long type, long config, uint64_t value)
{
    struct fake_script s = {type, config, FAKE_ANY, FAKE_ANY, {{.enabled = 1, .running = 1}}, 2};
    s.steps[1] = (struct fake_count){value, 1000, 1000, false};
    fake_perf_script(fake, s);
}

static const struct counter *after_a_while(const char *set, const char *name)
{
    assert_int_equal(open_source(NULL), 0);
    settled("core", "cycles");
    for (int i = 0; i < 3; i++)
        poll_once();
    return snapshot_counter(snap, set, name);
}

/* A virtual machine's energy counter that nothing feeds: n/a after a while, never 0 W. */
TEST_WITH(an_energy_counter_that_stands_still_is_missing, setup, teardown)
{
    counts_up_to(20, FAKE_ANY, 0);
    const struct counter *pkg = after_a_while("rapl", "pkg");
    assert_int_equal(pkg->delta.validity, VALUE_MISSING);
    assert_int_equal(pkg->rate.unit, UNIT_WATT);
    assert_non_null(strstr(pkg->rate.why, "stood still"));
}

/* Interrupts of the host are not counted in a virtual machine; elsewhere, none is 0. */
TEST_WITH(smi_stands_still_in_a_virtual_machine_only, setup, teardown)
{
    counts_up_to(FAKE_ANY, 9, 0);
    const struct counter *smi = after_a_while("msr", "smi");
    assert_true(smi->delta.validity == VALUE_OK && smi->delta.v == 0);
    source_perf.close(source);
    put("/proc/cpuinfo", "flags : fpu hypervisor\n");
    smi = after_a_while("msr", "smi");
    assert_int_equal(smi->delta.validity, VALUE_MISSING);
    assert_non_null(strstr(smi->delta.why, "a virtual machine does not see those of its host"));
}

/* The user wrote nothing that could be misspelt: a row of rooftop's own says why, and no more. */
TEST_WITH(built_in_events_ask_nothing, setup, teardown)
{
    assert_int_equal(open_source(NULL), 0);
    assert_string_equal(wait_for("msr", "other")->delta.why, "no such event");
}

TEST_WITH(rates_are_of_the_time_that_passed, setup, teardown)
{
    const struct counter *c = NULL;
    assert_int_equal(open_source(NULL), 0);
    settled("core", "cycles");
    for (int i = 0; i < 1000; i++) {
        now += 3 * (uint64_t)1000000000; /* four seconds from one sample to the next */
        poll_once();
        c = snapshot_counter(snap, "core", "cycles");
        if (i && c->delta.validity == VALUE_OK)
            break;
    }
    assert_int_equal(c->delta.validity, VALUE_OK);
    assert_true(c->delta.v > 0);
    assert_true(c->rate.v == c->delta.v / 4);
}

TEST_WITH(what_is_not_here_says_so, setup, teardown)
{
    assert_int_equal(open_source(NULL), 0);
    const struct counter *c = wait_for("dram", "read");
    assert_int_equal(c->delta.validity, VALUE_MISSING);
    assert_string_equal(c->delta.why, "no memory PMU here");
}

TEST_WITH(refused_system_wide_is_one_notice, setup, teardown)
{
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, -1, .err = EACCES});
    assert_int_equal(open_source(NULL), 0);
    wait_for("core", "cycles");
    const struct counter *c = wait_for("software", "task-clock");
    assert_int_equal(c->delta.validity, VALUE_MISSING);
    assert_non_null(strstr(c->delta.why, "perf_event_paranoid is 2"));
    assert_non_null(strstr(c->delta.why, "sysctl kernel.perf_event_paranoid=0"));
    assert_non_null(notice("perf.permission"));
    assert_non_null(notice("perf.permission")->help);
}

TEST_WITH(multiplexed_groups_show_their_share, setup, teardown)
{
    fake_perf_script(fake, (struct fake_script){PERF_TYPE_RAW,
                                                FAKE_ANY,
                                                FAKE_ANY,
                                                -1,
                                                {{0, 0, 0, false},
                                                 {100, 1000, 250, false},
                                                 {200, 2000, 500, false},
                                                 {300, 3000, 750, false},
                                                 {400, 4000, 1000, false},
                                                 {500, 5000, 1250, false},
                                                 {600, 6000, 1500, false},
                                                 {700, 7000, 1750, false}},
                                                8});
    assert_int_equal(open_source(NULL), 0);
    const struct counter *c = settled("core", "cycles");
    assert_true(c->delta.flags & VALUE_SCALED);
    assert_float_equal(c->delta.running, 0.25, 1e-6);
    assert_float_equal(c->delta.v, (double)c->raw * 4, 1e-6);
}

TEST_WITH(a_group_that_never_runs_is_cut, setup, teardown)
{
    /* cycles and instructions never run at the same time */
    fake_perf_script(fake, (struct fake_script){PERF_TYPE_RAW,
                                                0x76,
                                                FAKE_ANY,
                                                -1,
                                                {{0, 1000000000, 0, false},
                                                 {0, 2000000000, 0, false},
                                                 {0, 3000000000, 0, false},
                                                 {0, 4000000000, 0, false},
                                                 {0, 5000000000, 0, false},
                                                 {0, 6000000000, 0, false},
                                                 {0, 7000000000, 0, false}},
                                                7});
    assert_int_equal(open_source(NULL), 0);
    const struct counter *c = wait_for("core", "cycles");
    assert_int_equal(c->delta.validity, VALUE_MISSING);
    assert_non_null(strstr(c->delta.why, "never scheduled"));
    for (int i = 0; i < 6 && !notice("perf.split"); i++)
        poll_once();
    assert_non_null(notice("perf.split"));
    assert_non_null(strstr(notice("perf.split")->text, "cycles, instructions"));
    assert_int_equal(wait_for("core", "instructions")->group, -1);
    for (int i = 0;
         i < 100 && snapshot_counter(snap, "core", "instructions")->delta.validity != VALUE_OK; i++)
        poll_once();
    assert_int_equal(snapshot_counter(snap, "core", "instructions")->delta.validity, VALUE_OK);
}

TEST_WITH(a_stolen_pmu_is_explained, setup, teardown)
{
    fake_perf_script(
        fake, (struct fake_script){PERF_TYPE_RAW, FAKE_ANY, FAKE_ANY, -1, {{.eof = true}}, 1});
    assert_int_equal(open_source(NULL), 0);
    const struct counter *c = wait_for("core", "cycles");
    assert_int_equal(c->delta.validity, VALUE_MISSING);
    assert_non_null(strstr(c->delta.why, "end of file"));
    assert_non_null(notice("perf.stolen"));
}

TEST_WITH(user_events_replace_hardware_sets, setup, teardown)
{
    target.event_spec = (char *)"core/0x99";
    assert_int_equal(open_source(NULL), 0);
    poll_once();
    assert_null(snapshot_counter(snap, "core", "cycles"));
    assert_non_null(snapshot_counter(snap, "software", "task-clock"));
    assert_true(snapshot_counter(snap, "user", "core/0x99")->user);
}

/* Event numbers belong to a PMU: number 3 of the core PMU is not number 3 of the kernel's software
 * events. */
TEST_WITH(one_number_in_two_pmus_is_two_events, setup, teardown)
{
    target.event_spec = (char *)"core/3";
    assert_int_equal(open_source(NULL), 0);
    assert_int_equal(wait_for("software", "context-switches")->delta.validity, VALUE_OK);
    assert_int_equal(wait_for("user", "core/3")->delta.validity, VALUE_OK);
}

TEST_WITH(an_unknown_event_is_the_users_error, setup, teardown)
{
    struct error err = ERROR_INIT;
    target.event_spec = (char *)"nonsense";
    assert_true(open_source(&err) < 0);
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_null(source);
}

TEST_WITH(a_bad_event_in_a_file_names_its_line, setup, teardown)
{
    struct error err = ERROR_INIT;
    struct user_event bad = {.name = "x", .spec = "nonsense", .set = "mine", .line = 7};
    struct user_tables user = {.path = "m.toml", .events = &bad, .nevents = 1};
    struct source_config config = {.target = &target, .host = host, .user = &user};
    assert_true(source_perf.open(&source, &config, &err) < 0);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.what, "m.toml:7"));
}

TEST_WITH(hybrid_counts_are_summed_over_cpus, setup, teardown)
{
    target.event_spec = (char *)"hybrid/0x3c";
    assert_int_equal(open_source(NULL), 0);
    const struct counter *c = settled("user", "hybrid/0x3c");
    assert_int_equal(c->delta.validity, VALUE_OK);
    assert_true(c->delta.v == 2000);
    assert_true(c->percpu[0].v == 1000 && c->percpu[1].v == 1000);
}

TEST_WITH(hybrid_tasks_are_never_scaled, setup, teardown)
{
    target.kind = TARGET_PIDS;
    watched = 70;
    target.pids = &watched;
    target.npids = 1;
    target.event_spec = (char *)"hybrid/0x3c";
    fake_perf_script(
        fake, (struct fake_script){
                  10, FAKE_ANY, FAKE_ANY, 70, {{0, 0, 0, false}, {100, 1000, 500, false}}, 2});
    fake_perf_script(fake,
                     (struct fake_script){
                         11, FAKE_ANY, FAKE_ANY, 70, {{0, 0, 0, false}, {0, 1000, 0, false}}, 2});
    assert_int_equal(open_source(NULL), 0);
    fake_perf_step(fake);
    const struct counter *c = wait_for("user", "hybrid/0x3c");
    assert_int_equal(c->delta.validity, VALUE_OK);
    assert_true(c->delta.v == (double)c->raw); /* it ran on the other core type half of the time:
                                                  this must not be scaled up */
    assert_true(c->running_ns < c->enabled_ns);
    assert_int_equal(c->delta.flags, 0);
}

TEST_WITH(a_machine_without_pmu_counts_in_software, setup, teardown)
{
    arch = &archs[1];
    assert_int_equal(open_source(NULL), 0);
    assert_string_equal(host->pmu, "none");
    wait_for("software", "task-clock");
    poll_once();
    assert_int_equal(snapshot_counter(snap, "software", "task-clock")->delta.validity, VALUE_OK);
    assert_null(snapshot_counter(snap, "core", "cycles"));
}

TEST_WITH(processes_come_and_go, setup, teardown)
{
    struct error err = ERROR_INIT;
    target.kind = TARGET_PIDS;
    watched = 71;
    target.pids = &watched;
    target.npids = 1;
    assert_int_equal(open_source(&err), -ESRCH);
    assert_int_equal(err.kind, ERROR_TARGET);
    assert_non_null(strstr(err.what, "71"));
    watched = 70;
    assert_int_equal(open_source(&err), 0);
    wait_for("software", "task-clock");
    assert_false(snap->target_gone);
    put("/proc/70/task/70/stat", "70 (a) Z 1\n");
    poll_once();
    assert_true(snap->target_gone);
}

TEST_WITH(a_process_of_another_user, setup, teardown)
{
    struct perf_context c = {.uid = geteuid() + 1, .paranoid = 1};
    struct error err = ERROR_INIT;
    uid_t owner = c.uid;
    pid_t pid = 70;
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, 70, .err = EACCES});
    assert_int_equal(target_check_pids(&fake->sys, &c, &pid, 1, &owner, &err), -EACCES);
    assert_int_equal(err.kind, ERROR_PERMISSION);
    assert_int_equal(owner, geteuid());
    assert_non_null(strstr(err.help, "sudo"));
    c.uid = geteuid(); /* our own process: the kernel need not be asked */
    assert_int_equal(target_check_pids(&fake->sys, &c, &pid, 1, &owner, &err), 0);
    assert_int_equal(fake->opens, 1);
}

/* A zombie is listed by ps, so "no such process" would be puzzling. */
TEST_WITH(a_process_that_nobody_waited_for, setup, teardown)
{
    struct perf_context c = {.uid = geteuid(), .paranoid = 1};
    struct error err = ERROR_INIT;
    uid_t owner = c.uid;
    pid_t pid = 70, gone = 71;
    put("/proc/70/task/70/stat", "70 (a) Z 1\n");
    assert_int_equal(target_check_pids(&fake->sys, &c, &pid, 1, &owner, &err), -ESRCH);
    assert_non_null(strstr(err.why, "zombie"));
    assert_int_equal(target_check_pids(&fake->sys, &c, &gone, 1, &owner, &err), -ESRCH);
    assert_string_equal(err.why, "no such process");
}

/* Samples a command that has used that much CPU time. */
static void poll_busy(double cpu_seconds)
{
    snapshot_unref(snap);
    snap = snapshot_new(host);
    snap->procs = snapshot_alloc(snap, sizeof *snap->procs);
    snap->procs[0] = (struct proc){.pid = 70, .watched = true, .cpu_seconds = cpu_seconds};
    snap->nprocs = 1;
    source_perf.poll(source, snap, now);
    now += 1000000000;
    fake_perf_step(fake);
}

/* When a command executes a set-user-ID program, the kernel disables its events silently. The
 * counters must be missing then, not 0. */
TEST_WITH(counters_that_the_kernel_ended_are_not_zero, setup, teardown)
{
    struct source_config config = {.target = &target, .host = host, .command_pid = 70};
    arch = &archs[1];
    target.kind = TARGET_COMMAND;
    fake_perf_script(fake, (struct fake_script){.type = FAKE_ANY,
                                                .config = FAKE_ANY,
                                                .cpu = FAKE_ANY,
                                                .pid = FAKE_ANY,
                                                .steps = {{0, 0, 0, false},
                                                          {900, 900, 900, false},
                                                          {1800, 1800, 1800, false},
                                                          {1800, 1800, 1800, false}},
                                                .n = 4});
    assert_int_equal(source_perf.open(&source, &config, NULL), 0);
    if (source_perf.start)
        assert_int_equal(source_perf.start(source, NULL), 0);
    /* its exec */
    for (int i = 0; i < fake->used; i++)
        fake->fds[i].attr.disabled = 0;
    for (int i = 0; i < 3; i++)
        poll_busy(i);
    assert_int_equal(snapshot_counter(snap, "software", "task-clock")->delta.validity, VALUE_OK);
    assert_null(notice("perf.stopped"));
    poll_busy(2.02); /* the command sleeps, so nothing counts */
    assert_int_equal(snapshot_counter(snap, "software", "task-clock")->delta.validity, VALUE_OK);
    assert_true(snapshot_counter(snap, "software", "task-clock")->delta.v == 0);
    assert_null(notice("perf.stopped"));
    poll_busy(2.04);
    const struct counter *c = snapshot_counter(snap, "software", "task-clock");
    assert_int_equal(c->delta.validity, VALUE_MISSING);
    assert_int_equal(c->rate.validity, VALUE_MISSING);
    assert_non_null(strstr(c->delta.why, "set-user-ID"));
    assert_non_null(notice("perf.stopped"));
    poll_busy(2.04); /* it sleeps, so this does not show whether events are disabled */
    assert_int_equal(snapshot_counter(snap, "software", "task-clock")->delta.validity,
                     VALUE_MISSING);
    poll_busy(0.5); /* that process has ended, another one continues */
    assert_int_equal(snapshot_counter(snap, "software", "task-clock")->delta.validity,
                     VALUE_MISSING);
}

/* What an ordinary user may count of its own process and of the host at each perf_event_paranoid
 * level: counts, or a reason with what would help. */
TEST_WITH(an_ordinary_user_at_every_level, setup, teardown)
{
    static const struct {
        int level;
        bool patched, host, kernel, own; /* whole CPUs, the kernel, its own process */
        const char *says;
    } rows[] = {
        {-1, false, true, true, true, NULL},
        {0, false, true, true, true, NULL},
        {1, false, false, true, true, "whole CPUs may not be counted"},
        {2, false, false, false, true, "the kernel and other CPUs' work"},
        {3, false, false, false, true, "the kernel and other CPUs' work"},
        {4, false, false, false, true, "the kernel and other CPUs' work"},
        {3, true, false, false, false, "Debian's level"},
        {4, true, false, false, false, "Ubuntu's level"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int own = 0; own < 2; own++) {
            char text[32], is[64];
            snprintf(text, sizeof text, "%d\n", rows[i].level);
            snprintf(is, sizeof is, "perf_event_paranoid is %d", rows[i].level);
            put("/proc/sys/kernel/perf_event_paranoid", text);
            fake->ordinary = true;
            fake->patched = rows[i].patched;
            fake->paranoid = rows[i].level;
            target = (struct target){
                .kind = own ? TARGET_PIDS : TARGET_HOST, .pids = &watched, .npids = (size_t)own};
            watched = 70;
            assert_int_equal(open_source(NULL), 0);
            const struct counter *c = wait_for("software", "task-clock");
            bool counted = own ? rows[i].own : rows[i].host;
            if (counted != (c->delta.validity == VALUE_OK))
                fail_msg("level %d, %s: %s", rows[i].level, own ? "own" : "host",
                         counted ? c->delta.why : "it is counted");
            if (!counted && (!strstr(c->delta.why, is) || !strstr(c->delta.why, rows[i].says)))
                fail_msg("level %d: '%s'", rows[i].level, c->delta.why);
            if (own) {
                assert_int_equal(notice("perf.kernel") != NULL, rows[i].own && !rows[i].kernel);
                assert_int_equal(strstr(c->desc, "(user mode only)") != NULL,
                                 rows[i].own && !rows[i].kernel);
            }
            source_perf.close(source);
            source = NULL;
        }
}

TEST_WITH(a_directory_that_is_no_cgroup, setup, teardown)
{
    struct error err = ERROR_INIT;
    target.kind = TARGET_CGROUP;
    target.cgroup = (char *)"/proc/70";
    assert_true(open_source(&err) < 0);
    assert_int_equal(err.kind, ERROR_TARGET);
    target.cgroup = (char *)"no/such";
    assert_true(open_source(&err) < 0);
    assert_int_equal(err.kind, ERROR_TARGET);
}

TEST_WITH(a_command_too_big_for_the_pmu_is_cut_before, setup, teardown)
{
    fake->counters = 1;
    target.kind = TARGET_COMMAND;
    struct source_config config = {.target = &target, .host = host, .command_pid = 70};
    assert_int_equal(source_perf.open(&source, &config, NULL), 0);
    poll_once();
    poll_once();
    const struct counter *c = snapshot_counter(snap, "core", "instructions");
    assert_int_equal(c->group, -1);
    assert_int_equal(c->delta.validity, VALUE_OK);
    assert_non_null(notice("perf.split"));
}

struct doctor {
    int seen, system_wide, own;
    char energy[80];
};

static void sink(void *ctx, const struct probe_finding *c)
{
    struct doctor *d = ctx;
    assert_non_null(c->id);
    assert_non_null(c->why);
    assert_true(c->why[0] != '\0');
    if (!strcmp(c->id, "perf.system-wide")) {
        d->system_wide = (int)c->state;
        if (c->state == PROBE_NO)
            assert_non_null(strstr(c->enable, "kernel.perf_event_paranoid=0"));
    }
    if (!strcmp(c->id, "perf.kernel"))
        d->own = (int)c->state;
    if (!strcmp(c->id, "perf.rapl"))
        snprintf(d->energy, sizeof d->energy, "%d: %s", c->state, c->why);
    d->seen++;
}

TEST_WITH(doctor_has_a_line_for_everything, setup, teardown)
{
    struct doctor d = {0};
    source_perf.probe(sink, &d);
    assert_int_equal(d.seen, 12);
    assert_int_equal(d.system_wide, PROBE_YES);
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, -1, .err = EACCES});
    source_perf.probe(sink, &d);
    assert_int_equal(d.system_wide, PROBE_NO);
    assert_int_equal(d.own, PROBE_YES); /* a process of the same user */
    assert_int_equal(fake_perf_open_count(fake), 0);
}

/* Each reading of the clock advances it, and the counters with it. */
static uint64_t ticking(void *ctx)
{
    (void)ctx;
    fake_perf_step(fake);
    return now += 250000;
}

/* rooftop doctor works for 20 ms and looks whether the energy counter moves. */
TEST_WITH(doctor_knows_an_energy_counter_that_stands_still, setup, teardown)
{
    struct doctor d = {0};
    counts_up_to(20, FAKE_ANY, 0);
    env_set_clock(ticking, NULL);
    source_perf.probe(sink, &d);
    assert_string_equal(d.energy, "0: power/2 is there, but stood still during 20 ms of work");
    fake->nscripts = 0;
    counts_up_to(20, FAKE_ANY, 700);
    source_perf.probe(sink, &d);
    env_set_clock(NULL, NULL);
    assert_string_equal(d.energy, "2: power/2 can be counted");
}
