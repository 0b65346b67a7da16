/*
 * The sampler on this machine, with compiled programs whose shares of time are known. Skipped if
 * the kernel refuses perf_event or there is no compiler. not for TSan: it forks.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/perf_common/sys.h"
#include "engine/functions/functions.h"
#include "engine/live/engine.h"
#include "engine/live/source.h"
#include "support/skip.h"
#include "support/test.h"

extern const struct source_ops source_command, source_sampler;
static const struct source_ops *const sources[] = {&source_command, &source_sampler, NULL};

static char dir[] = "/tmp/rooftop-sampler-XXXXXX";
static int threads_at_start; /* sanitizers add some of their own */

static int entries(const char *path)
{
    int n = 0;
    DIR *d = opendir(path);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static bool perf_works(void)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_SW_CPU_CLOCK,
                                .exclude_kernel = 1};
    int fd = perf_sys_kernel.open(NULL, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static const char *unusable; /* why sampling is not possible here; NULL: it is */

static void needs_sampling(void)
{
    if (unusable)
        skip_because("sampling: %s", unusable);
}

static void needs_root(const char *why)
{
    if (geteuid() != 0)
        skip_because("%s", why);
}

static bool shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool shell(const char *fmt, ...)
{
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    return system(line) == 0; /* NOLINT: a test's own command */
}

FIXTURE_STATUS(compile)
{
    threads_at_start = entries("/proc/self/task");
    if (!mkdtemp(dir))
        return -1;
    /* From -O1 on gcc keeps no frame pointer in functions that call nothing, whatever its
     * options. */
    if (!perf_works())
        unusable = "perf_event_open is refused here; rooftop doctor says by what";
    else if (!shell("cc -O1 -g -fno-omit-frame-pointer -pthread -o %s/fp "
                    "tests/data/sampler/hot.c",
                    dir) ||
             !shell("cc -O1 -g -fomit-frame-pointer -pthread -o %s/nofp tests/data/sampler/hot.c",
                    dir))
        unusable = "there is no C compiler that makes programs to be sampled";
    return 0;
}

FIXTURE_STATUS(clean)
{
    return shell("rm -rf %s", dir) ? 0 : -1;
}

/* --- running --- */

static struct engine *engine_for(const struct target *t, enum callgraph callgraph)
{
    struct engine_config c = {.target = *t,
                              .interval_s = 1,
                              .sampling = {.on = true, .hz = 997, .callgraph = (uint8_t)callgraph},
                              .sources = sources};
    return engine_new(&c);
}

static const struct snapshot *step(struct engine *e)
{
    struct error err = ERROR_INIT;
    char text[800];
    const struct snapshot *s = engine_step(e, &err);
    if (!s)
        fail_msg("%s", error_format(&err, text, sizeof text));
    return s;
}

/* The snapshot after the command's end; the caller unrefs it and frees the engine. */
static const struct snapshot *run_command(char **argv, enum callgraph callgraph, struct engine **e)
{
    struct target t = {.kind = TARGET_COMMAND, .argv = argv};
    *e = engine_for(&t, callgraph);
    const struct snapshot *s = step(*e);
    while (engine_command_status(*e, &(int){0}) < 0) {
        siginfo_t info;
        waitid(P_PID, (id_t)s->command.pid, &info, WEXITED | WNOWAIT);
        snapshot_unref(s);
        s = step(*e);
    }
    return s;
}

/* --- asking --- */

static double share(const struct hot_stacks *p, const char *name, bool total)
{
    struct function_row *rows;
    size_t n = functions_list(p, &rows);
    uint64_t samples = 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(p->symbols[rows[i].symbol].name, name) == 0)
            samples += total ? rows[i].total : rows[i].self;
    free(rows);
    return p->samples ? (double)samples / (double)p->samples : 0;
}

static const char *caller_of_most(const struct hot_stacks *p, const char *name)
{
    const struct hot_node *best = NULL;
    for (size_t i = 0; i < p->nnodes; i++)
        if (strcmp(p->symbols[p->nodes[i].symbol].name, name) == 0 &&
            (!best || p->nodes[i].self > best->self))
            best = &p->nodes[i];
    if (!best)
        return "(never seen)";
    return best->parent < 0 ? "(none)" : p->symbols[p->nodes[best->parent].symbol].name;
}

static void expect_share(const struct hot_stacks *p, const char *name, bool total, double low,
                         double high)
{
    double s = share(p, name, total);
    if (s < low || s > high)
        fail_msg("%s: %s share %.3f of %llu samples, not in %.2f to %.2f (%s)", name,
                 total ? "total" : "self", s, (unsigned long long)p->samples, low, high,
                 p->why ? p->why : "");
}

/* hot and warm share the work three to one; interrupts of the kernel take a little. */
static void expect_known_program(const struct snapshot *s, bool callers)
{
    const struct hot_stacks *p = s->stacks;
    assert_non_null(p);
    if (p->samples < 50)
        fail_msg("%llu samples only: %s", (unsigned long long)p->samples, p->why ? p->why : "");
    expect_share(p, "hot", true, 0.6, 0.9);
    expect_share(p, "warm", true, 0.1, 0.4);
    assert_int_equal(p->lost, 0);
    assert_true(p->seconds > 0);
    if (!callers)
        return;
    expect_share(p, "outer", true, 0.8, 1);
    expect_share(p, "main", true, 0.8, 1);
    assert_string_equal(caller_of_most(p, "hot"), "outer");
    assert_string_equal(caller_of_most(p, "warm"), "outer");
    assert_string_equal(caller_of_most(p, "outer"), "main");
}

static char **arguments(const char *program, char *how)
{
    static char path[128], rounds[] = "100";
    static char *argv[4];
    snprintf(path, sizeof path, "%s/%s", dir, program);
    argv[0] = path;
    argv[1] = how;
    argv[2] = rounds;
    argv[3] = NULL;
    return argv;
}

/* --- tests --- */

static void check_command(const char *program, char *how, enum callgraph callgraph, bool callers)
{
    needs_sampling();
    struct engine *e;
    const struct snapshot *s = run_command(arguments(program, how), callgraph, &e);
    assert_int_equal(s->stacks->callgraph, callgraph);
    expect_known_program(s, callers);
    snapshot_unref(s);
    engine_free(e);
}

TEST(frame_pointers_give_the_callers)
{
    check_command("fp", "plain", CALLGRAPH_FP, true);
}

TEST(dwarf_gives_them_without_frame_pointers)
{
    check_command("nofp", "plain", CALLGRAPH_DWARF, true);
}

TEST(dwarf_works_with_frame_pointers_too)
{
    check_command("fp", "plain", CALLGRAPH_DWARF, true);
}

TEST(no_call_graph_is_functions_alone)
{
    needs_sampling();
    struct engine *e;
    const struct snapshot *s = run_command(arguments("nofp", "plain"), CALLGRAPH_NONE, &e);
    expect_known_program(s, false);
    for (size_t i = 0; i < s->stacks->nnodes; i++) /* inlined frames may be below others */
        if (s->stacks->nodes[i].parent >= 0)
            assert_true(s->stacks->symbols[s->stacks->nodes[i].symbol].inlined);
    snapshot_unref(s);
    engine_free(e);
}

TEST(a_program_that_execs_is_followed)
{
    check_command("fp", "exec", CALLGRAPH_FP, true);
}

TEST(children_are_sampled)
{
    needs_sampling();
    struct engine *e;
    const struct snapshot *s = run_command(arguments("fp", "fork"), CALLGRAPH_FP, &e);
    expect_known_program(s, false);
    expect_share(s->stacks, "in_child", true, 0.8, 1);
    assert_string_equal(caller_of_most(s->stacks, "outer"), "in_child");
    assert_string_equal(caller_of_most(s->stacks, "in_child"), "main");
    snapshot_unref(s);
    engine_free(e);
}

TEST(threads_are_sampled)
{
    needs_sampling();
    struct engine *e;
    const struct snapshot *s = run_command(arguments("nofp", "thread"), CALLGRAPH_DWARF, &e);
    expect_share(s->stacks, "hot", true, 0.6, 0.9);
    expect_share(s->stacks, "in_thread", true, 0.8, 1);
    assert_string_equal(caller_of_most(s->stacks, "outer"), "in_thread");
    snapshot_unref(s);
    engine_free(e);
}

/* A function without symbols is a row of its own, named by its address. */
TEST(a_stripped_program_has_functions_without_names)
{
    needs_sampling();
    assert_true(shell("strip -o %s/stripped %s/fp", dir, dir));
    struct engine *e;
    const struct snapshot *s = run_command(arguments("stripped", "plain"), CALLGRAPH_FP, &e);
    struct function_row *rows;
    size_t n = functions_list(s->stacks, &rows);
    assert_true(n > 0);
    const struct hot_symbol *hot = &s->stacks->symbols[rows[0].symbol];
    /* With what it calls: the kernel's interrupts, which a busy machine has many of. */
    assert_true((double)rows[0].total > 0.6 * (double)s->stacks->samples);
    assert_int_equal(hot->where, HOT_UNKNOWN);
    assert_int_equal(strtoull(hot->name, NULL, 16), hot->address);
    assert_true(hot->size > 0);
    assert_string_equal(hot->module, "stripped");
    free(rows);
    snapshot_unref(s);
    engine_free(e);
}

/* The program's file was deleted; the kernel's link to the mapping still leads to it (for root). */
TEST(a_deleted_program_keeps_its_names)
{
    needs_sampling();
    needs_root("the kernel's links to mappings are root's");
    assert_true(shell("cp %s/fp %s/gone", dir, dir));
    struct engine *e;
    struct target t = {.kind = TARGET_COMMAND, .argv = arguments("gone", "delete")};
    t.argv[2] = "2000"; /* ends before that: the link exists only while it lives */
    e = engine_for(&t, CALLGRAPH_FP);
    snapshot_unref(step(e));
    uint64_t samples = 0;
    bool named = false;
    for (int i = 0; i < 2000 && samples < 50; i++) {
        usleep(50000);
        const struct snapshot *s = step(e);
        samples += s->stacks->samples;
        named |= share(s->stacks, "hot", true) > 0.5;
        snapshot_unref(s);
    }
    engine_signal_command(e, SIGKILL);
    engine_free(e);
    assert_true(samples >= 50);
    assert_true(named);
}

/* The share of a function by perf report: "    75.12%  [.] hot". -1 if perf does not run here. */
static double share_by_perf(const char *name)
{
    char line[512];
    double found = -1, percent;
    snprintf(line, sizeof line,
             "perf report -i %s/perf.data --stdio --no-children -g none -F overhead,symbol "
             "2>/dev/null",
             dir);
    FILE *f = popen(line, "r"); /* NOLINT: a test's own command */
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f)) {
        char symbol[128];
        if (sscanf(line, " %lf%% [.] %127s", &percent, symbol) == 2 && strcmp(symbol, name) == 0)
            found = percent / 100;
    }
    pclose(f);
    return found;
}

/*
 * Two runs of the same program with some 300 samples each: a share of 3/4 is known to 2.5 % (one
 * sigma). Both also sample the kernel's interrupts.
 */
TEST(shares_agree_with_perf)
{
    needs_sampling();
    if (!shell("perf record -q -e cpu-clock -F 997 -g -o %s/perf.data -- %s/fp plain "
               "100 >/dev/null 2>&1",
               dir, dir))
        skip_because("there is no perf to compare with (apt-get install linux-perf)");
    struct engine *e;
    const struct snapshot *s = run_command(arguments("fp", "plain"), CALLGRAPH_FP, &e);
    static const char *const names[] = {"hot", "warm"};
    for (size_t i = 0; i < 2; i++) {
        double theirs = share_by_perf(names[i]), ours = share(s->stacks, names[i], false);
        if (theirs < 0 || ours < theirs - 0.15 || ours > theirs + 0.15)
            fail_msg("%s: %.3f here, %.3f by perf", names[i], ours, theirs);
    }
    snapshot_unref(s);
    engine_free(e);
}

static pid_t start_background(void)
{
    char **argv = arguments("fp", "plain");
    argv[2] = "100000";
    int executed[2];
    char none;
    assert_int_equal(pipe2(executed, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        execv(argv[0], argv);
        _exit(127);
    }
    close(executed[1]);
    assert_int_equal(read(executed[0], &none, 1), 0); /* exec closes the other end */
    close(executed[0]);
    return pid;
}

/* Samples until there are enough, and some of this function (NULL: of any), at most 200 s. */
static const struct snapshot *sample_until(struct engine *e, const char *function)
{
    for (int i = 0;; i++) {
        usleep(200000);
        const struct snapshot *s = step(e);
        if ((s->stacks->samples >= 50 && (!function || share(s->stacks, function, true) > 0)) ||
            i == 1000)
            return s;
        snapshot_unref(s);
    }
}

static const struct snapshot *sample_enough(struct engine *e)
{
    return sample_until(e, NULL);
}

TEST(running_processes_are_attached_to)
{
    needs_sampling();
    pid_t pid = start_background();
    struct target t = {.kind = TARGET_PIDS, .pids = (pid_t[]){pid}, .npids = 1};
    struct engine *e = engine_for(&t, CALLGRAPH_FP);
    snapshot_unref(step(e));
    const struct snapshot *s = sample_enough(e);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    expect_share(s->stacks, "hot", true, 0.5, 1);
    expect_share(s->stacks, "main", true, 0.8, 1);
    snapshot_unref(s);
    engine_free(e);
}

static bool is_child(const char *pid, pid_t parent)
{
    char path[300];
    int ppid = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    bool read = fscanf(f, "%*d (%*[^)]) %*c %d", &ppid) == 1;
    fclose(f);
    return read && ppid == parent;
}

static void until_it_forked(pid_t parent)
{
    for (bool found = false; !found;) {
        DIR *d = opendir("/proc");
        assert_non_null(d);
        for (struct dirent *e; !found && (e = readdir(d));)
            found = e->d_name[0] >= '1' && e->d_name[0] <= '9' && is_child(e->d_name, parent);
        closedir(d);
        usleep(found ? 0 : 1000);
    }
}

/* Sampling is turned on while the command runs: the command, and what it has started, are found. */
TEST(sampling_may_begin_while_a_command_runs)
{
    needs_sampling();
    struct target t = {.kind = TARGET_COMMAND, .argv = arguments("fp", "fork")};
    struct sampling off = {.hz = 997}, on = {.on = true, .hz = 997};
    t.argv[2] = "100000";
    struct engine *e = engine_for(&t, CALLGRAPH_FP);
    engine_set_sampling(e, &off);
    const struct snapshot *s = step(e);
    pid_t pid = s->command.pid;
    snapshot_unref(s);
    until_it_forked(pid);
    engine_set_sampling(e, &on);
    snapshot_unref(step(e));
    s = sample_enough(e);
    engine_signal_command(e, SIGKILL);
    expect_share(s->stacks, "hot", true, 0.5, 1);
    expect_share(s->stacks, "in_child", true, 0.8, 1);
    snapshot_unref(s);
    engine_free(e);
}

/* The whole machine is sampled: the program is found among others, and idle CPUs give no
 * samples. */
TEST(the_whole_machine_is_sampled)
{
    needs_sampling();
    needs_root("sampling every process is root's");
    pid_t pid = start_background();
    struct target t = {.kind = TARGET_HOST};
    struct engine *e = engine_for(&t, CALLGRAPH_FP);
    snapshot_unref(step(e));
    const struct snapshot *s =
        sample_until(e, "hot"); /* a busy machine has others at work for long */
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    if (share(s->stacks, "hot", true) <= 0)
        fail_msg("hot is not among %llu samples", (unsigned long long)s->stacks->samples);
    static const char *const idle[] = {"default_idle",      "pv_native_safe_halt",
                                       "cpu_startup_entry", "native_safe_halt",
                                       "intel_idle",        "acpi_safe_halt"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle && s->stacks->event[1] == 'p'; i++)
        if (share(s->stacks, idle[i], true) > 0)
            fail_msg("%s was sampled by a timer", idle[i]);
    snapshot_unref(s);
    engine_free(e);
}

/* --- sampling that is off costs nothing --- */

/* A thread that reads a file ends a little after sampling does; waits for at most 20 s. */
static void expect_entries(const char *path, int want)
{
    int n = 0;
    for (int i = 0; i < 2000 && (n = entries(path)) != want; i++)
        usleep(10000);
    assert_int_equal(n, want);
}

TEST(off_holds_nothing)
{
    needs_sampling();
    struct target t = {.kind = TARGET_PIDS, .pids = (pid_t[]){getpid()}, .npids = 1};
    struct engine *e = engine_for(&t, CALLGRAPH_FP);
    struct sampling off = {.hz = 997}, on = {.on = true, .hz = 499};
    engine_set_sampling(e, &off);
    const struct snapshot *s = step(e);
    assert_null(s->stacks);
    snapshot_unref(s);
    int threads = threads_at_start;
    expect_entries("/proc/self/task", threads);
    int fds = entries("/proc/self/fd");
    for (int i = 0; i < 3; i++) {
        engine_set_sampling(e, &on);
        s = step(e);
        assert_non_null(s->stacks);
        assert_true(s->stacks->hz == 499);
        snapshot_unref(s);
        assert_true(entries("/proc/self/fd") > fds);
        assert_int_equal(entries("/proc/self/task"), threads + 2);
        engine_set_sampling(e, &off);
        s = step(e);
        assert_null(s->stacks);
        snapshot_unref(s);
        expect_entries("/proc/self/task", threads);
        assert_int_equal(entries("/proc/self/fd"), fds);
    }
    engine_free(e);
}

TEST_MAIN(compile, clean)
