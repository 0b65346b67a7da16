/* The real program in unusual environments: thousands of threads, a /proc that hides other users'
 * processes, commands that are stopped or change their user,
 * output that nobody reads. (Forks: not for TSan.) */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include "support/own_mounts.h"
#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { THREADS = 5000, STACK = 32 << 10 };

static int set_up(void **state)
{
    return temp_folder_make(state) != 0 || setenv("D", temp_folder, 1) != 0;
}

/* --- 5,000 threads --- */

static void *wait_for_ever(void *arg)
{
    for (;;)
        pause();
    return arg;
}

/* Starts a process with that many threads; 0 if this machine does not allow them. */
static pid_t many_threads(void)
{
    int ready[2];
    char how = 'n';
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_attr_t small;
        pthread_t t;
        int i = 1;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, STACK);
        while (i < THREADS && pthread_create(&t, &small, wait_for_ever, NULL) == 0)
            i++;
        if (write(ready[1], i == THREADS ? "y" : "n", 1) == 1)
            wait_for_ever(NULL);
        _exit(1);
    }
    assert_int_equal(read(ready[0], &how, 1), 1);
    close(ready[0]);
    close(ready[1]);
    if (how == 'y')
        return pid;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return 0;
}

static const cJSON *process(const cJSON *frame, pid_t pid)
{
    const cJSON *p;
    cJSON_ArrayForEach(p, cJSON_GetObjectItem(frame, "processes"))
    {
        if (cJSON_GetNumberValue(cJSON_GetObjectItem(p, "pid")) == (double)pid)
            return p;
    }
    return NULL;
}

static const char *notice(const cJSON *frame, const char *id)
{
    const cJSON *n;
    cJSON_ArrayForEach(n, cJSON_GetObjectItem(frame, "notices"))
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(n, "id")), id) == 0)
            return cJSON_GetStringValue(cJSON_GetObjectItem(n, "text"));
    }
    return NULL;
}

static cJSON *frame_of(const char *shell)
{
    struct program p;
    program_expect(&p, shell, 0);
    cJSON *frame = cJSON_Parse(p.out);
    if (!frame)
        fail_msg("no document: %.400s", p.out);
    program_free(&p);
    return frame;
}

/* As many threads are counted as there are descriptors for, and a notice says how many are
 * missing; nothing is extrapolated. */
TEST(five_thousand_threads)
{
    static const int limits[] = {256, 1024, 65536};
    char line[256], want[64];
    pid_t pid = many_threads();
    if (pid == 0) {
        print_message("skipped: no process may have 5,000 threads here\n");
        skip();
    }
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        snprintf(line, sizeof line,
                 "ulimit -n %d 2>/dev/null; $BIN -p %d --headless --format json --frames 1",
                 limits[i], (int)pid);
        cJSON *frame = frame_of(line);
        const cJSON *p = process(frame, pid), *target = cJSON_GetObjectItem(frame, "target");
        assert_non_null(p); /* descriptors are left to read /proc */
        assert_true(cJSON_IsFalse(cJSON_GetObjectItem(target, "gone")));
        assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(p, "threads")) == THREADS);
        const char *text = notice(frame, "perf.attach");
        if (limits[i] <= 1024) {
            snprintf(want, sizeof want, "of 5,000 threads attached: out of file descriptors");
            if (!text || !strstr(text, want) || strtol(text, NULL, 10) <= 0)
                fail_msg("%d descriptors: '%s'", limits[i], text ? text : "nothing is told");
        }
        cJSON_Delete(frame);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* --- hidepid --- */

/* Runs as an ordinary user with a /proc that hides other users' processes; process 1 in it belongs
 * to root. */
static void in_hidden_proc(struct program *p, const char *hidepid, const char *shell, int status)
{
    char line[1024];
    if (geteuid() != 0) {
        print_message("skipped: only root can mount a /proc of its own\n");
        skip();
    }
    snprintf(line, sizeof line,
             "chmod 755 $D; cp $BIN $D/r; unshare -m -p -f --propagation private sh -c '"
             "mount -t proc -o hidepid=%s proc /proc || exit 77;"
             "HOME=/ setpriv --reuid 12345 --regid 12345 --clear-groups sh -c \"%s\"; exit $?'",
             hidepid, shell);
    program_run(p, line);
    if (p->status == 77 || strstr(p->err, "unshare")) {
        print_message("skipped: no /proc can be mounted here: %.200s\n", p->err);
        program_free(p);
        skip();
    }
    if (p->status != status)
        fail_msg("hidepid=%s: exit %d, not %d\n%.2000s\n%s", hidepid, p->status, status, p->out,
                 p->err);
}

TEST(hidden_processes_are_noted)
{
    static const char *const how[] = {"1", "2"};
    for (size_t i = 0; i < 2; i++) {
        struct program p;
        in_hidden_proc(&p, how[i], "$D/r --headless --frames 1 --format json", 0);
        cJSON *frame = cJSON_Parse(p.out);
        assert_non_null(frame);
        assert_null(process(frame, 1));
        const char *text = notice(frame, "proc.hidepid");
        if (!text || !strstr(text, "of other users are hidden (hidepid"))
            fail_msg("hidepid=%s: '%s'", how[i], text ? text : "nothing is told");
        cJSON_Delete(frame);
        program_free(&p);
        in_hidden_proc(&p, how[i], "$D/r -p 1 --headless --frames 1", 5);
        assert_non_null(strstr(p.err, "process 1 is another user's, and /proc hides it (hidepid)"));
        program_free(&p);
        in_hidden_proc(&p, how[i], "$D/r -p 999999 --headless --frames 1", 4);
        assert_non_null(strstr(p.err, "there is no process 999999"));
        program_free(&p);
        in_hidden_proc(&p, how[i], "$D/r doctor", 0);
        assert_non_null(strstr(p.out, "other users' processes are hidden"));
        program_free(&p);
        /* its own process */
        in_hidden_proc(&p, how[i], "$D/r --headless --frames 1 -p \\$\\$ --format csv", 0);
        program_free(&p);
    }
}

/* --- no /proc --- */

/* The leak checker needs /proc, and a sanitizer reads its options there. */
#if defined(__SANITIZE_ADDRESS__)
#define NO_PROC                                                                                    \
    "mount -t tmpfs none /proc && mkdir /proc/self && "                                            \
    "echo ASAN_OPTIONS=detect_leaks=0 | tr \"\\\\n\" \"\\\\0\" >/proc/self/environ"
#else
#define NO_PROC "mount -t tmpfs none /proc"
#endif

/* What only /proc tells is not known: never 0, in text and JSON. */
TEST(without_proc)
{
    static const char *const counts[] = {"processes", "threads", "running"};
    struct program p;
    own_mounts_run(&p, NO_PROC,
                   "$BIN --headless --frames 2 --interval=0.1 && $BIN --headless "
                   "--frames 2 --interval=0.1 --format jsonl | tail -1 >$D/frame && "
                   "$BIN doctor >$D/doctor");
    assert_int_equal(p.status, 0);
    program_sees(&p, "procs n/a ");
    program_sees(&p, "╭─ processes by cpu ");
    program_sees(&p, " n/a ─╮");
    program_sees(&p, "/proc cannot be listed: no processes");
    program_sees(&p, "% cpu, n/a");
    program_lacks(&p, "procs 0");
    program_lacks(&p, " 0 ─╮");
    program_lacks(&p, "no processes to see");
    program_free(&p);
    own_mounts_run(&p, NO_PROC, "$BIN -p 1 --headless --frames 1");
    assert_int_equal(p.status, 6);
    assert_non_null(strstr(p.err, "no process can be found, as /proc is not mounted"));
    program_free(&p);
    cJSON *frame = frame_of("cat $D/frame"), *tasks = cJSON_GetObjectItem(frame, "tasks");
    for (size_t i = 0; i < 3; i++)
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(tasks, counts[i])));
    cJSON_Delete(frame);
    program_answers("cat $D/doctor", 0, "not known: /proc is not mounted", "");
    program_answers("! grep 'this kernel' $D/doctor", 0, "", "");
}

/* --- what writers that were killed left --- */

/* It goes with the next one that writes the same; a file that only looks like it stays. */
TEST(what_the_killed_left)
{
    static const char *const cases[][2] = {
        {"touch out.json.rooftop-abcdef out.json.backup", "$BIN doctor -o out.json"},
        {"mkdir -p judge.rooftop-abcdef/a", "TMPDIR=$PWD $BIN judge --run 'true {}' --baseline "
                                            "x.c --candidate x.c"},
        {"mkdir -p edit.rooftop-abcdef/a", "TMPDIR=$PWD $BIN replay edit --capture-dir none "
                                           "--source x.c --build 'true {out}' --once"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        char line[512];
        snprintf(
            line, sizeof line,
            "mkdir -p $D/left && cd $D/left && touch x.c && %s && { ls | grep -q 'rooftop-ab'; "
            "} && { %s; ls; }",
            cases[i][0], cases[i][1]);
        program_expect(&p, line, 0);
        program_lacks(&p, "rooftop-");
        if (i == 0)
            program_sees(&p, "out.json.backup");
        program_free(&p);
    }
}

/* --- /dev/shm --- */

/* Where programs cannot record, that is said, not that they recorded nothing. */
TEST(without_shared_memory)
{
    static const struct {
        const char *mounts, *says;
    } cases[] = {
        {"mount -t tmpfs -o size=16k none /dev/shm && { cat /dev/zero >/dev/shm/full 2>/dev/null; "
         "true; }",
         "/dev/shm is full"},
        {"mount -t tmpfs -o size=1M none /dev/shm", "/dev/shm is full"},
        {"mount -t tmpfs -o ro none /dev/shm", "/dev/shm cannot be written: Read-only file system"},
        {"mount --bind /dev/null $D/null && mount -t tmpfs none /dev && touch /dev/null && mount "
         "--bind $D/null /dev/null",
         "there is no folder /dev/shm"},
    };
    struct program p;
    program_answers("touch $D/null", 0, "", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[128];
        own_mounts_run(&p, cases[i].mounts, "$BIN tree -- true; echo status $?; $BIN doctor");
        snprintf(line, sizeof line, "no bricks can be recorded: %s; ", cases[i].says);
        if (!strstr(p.err, line))
            fail_msg("%zu: %s", i, p.err);
        program_sees(&p, "status 4\n");
        snprintf(line, sizeof line, "bricks of instrumented programs     %s", cases[i].says);
        program_sees(&p, line);
        program_free(&p);
    }
}

/* --- a small stack --- */

/* 64 KiB are enough, for the threads too, whose stacks are as small; commands that are started
 * keep the limit. */
TEST(a_stack_of_64_KiB)
{
    static const char *const commands[] = {
        "--version",
        "--headless --frames 2 --interval=0.1",
        "--headless --frames 2 --interval=0.1 --view functions -- sleep 0.2",
        "doctor",
        "bench --no-store --runs 2 -- true -- true",
        "trace --format json -o $D/small-trace.json -- true",
        "path $D/small-trace.json",
        "history --db $D/small.db --import $D/small.json",
    };
    struct program p;
    program_answers("$BIN bench --no-store --runs 3 --format json -- true >$D/small.json", 0, "",
                    "");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[256];
        snprintf(line, sizeof line, "ulimit -s 64; $BIN %s >/dev/null", commands[i]);
        program_answers(line, 0, "", "");
    }
    /* not the compiler, which gets the limit, too */
    program_run(&p,
                "cc -shared -fPIC -O2 -o $D/b.so tests/data/judge/baseline.c && ulimit -s 64 && "
                "$BIN judge --harness tests/data/judge/saxpy.toml --baseline $D/b.so "
                "--candidate $D/b.so");
    if (p.status != 6 && !strstr(p.out, "candidate  "))
        fail_msg("judge: %d: %s", p.status, p.err);
    program_free(&p);
    program_answers("ulimit -s 64; $BIN trace -o /dev/null -- sh -c 'ulimit -s'", 0, "64\n", "");
}

/* --- commands that stop, and that change their user --- */

/* A command that is stopped is shown as stopped. When rooftop hangs up, it also gets SIGCONT,
 * because otherwise it would stay stopped for ever. */
TEST(a_stopped_command)
{
    cJSON *frame =
        frame_of("$BIN --headless --frames 2 --interval=0.1 --format jsonl "
                 "-- sh -c 'echo $$ >$D/pid; kill -STOP $$; touch $D/went-on' | tail -1");
    const cJSON *command = cJSON_GetObjectItem(frame, "command");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(command, "running")));
    pid_t pid = (pid_t)cJSON_GetNumberValue(cJSON_GetObjectItem(command, "pid"));
    const cJSON *p = process(frame, pid);
    assert_non_null(p);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(p, "state")), "T");
    cJSON_Delete(frame);
    struct program run;
    program_expect(&run, "test ! -e /proc/$(cat $D/pid) && test ! -e $D/went-on", 0);
    program_free(&run);
}

/* The command's status is passed on, its counters are not 0 where the kernel ended them, and it
 * ends with rooftop. */
TEST(a_command_that_changes_its_user)
{
    struct program p;
    if (geteuid() != 0) {
        print_message("skipped: only root can make a set-user-ID program\n");
        skip();
    }
    program_expect(
        &p,
        "chmod 755 $D; cp $BIN $D/r; cp $(command -v bash) $D/own; chmod 4755 $D/own;"
        "cd $D; HOME=/ setpriv --reuid 12345 --regid 12345 --clear-groups $D/r --headless"
        " --interval=0.2 --format csv -- $D/own -p -c 'i=0; while ((i < 300000)); do "
        "((i++)); done; exit 7'; echo status $?",
        0);
    if (strstr(p.out, "status 7") == NULL)
        fail_msg("%.2000s%s", p.out, p.err);
    program_free(&p);
    program_expect(
        &p,
        "cd $D; HOME=/ setpriv --reuid 12345 --regid 12345 --clear-groups $D/r --headless"
        " --frames 4 --interval=0.3 --format csv -- $D/own -p -c 'while :; do :; done' "
        "| grep 'counter,software.task-clock,' | tail -1",
        0);
    if (strstr(p.out, ",s,true,") || !strstr(p.out, "set-user-ID"))
        fail_msg("%s%s", p.out, p.err);
    program_free(&p);
}

/* --- a pipe whose reader has gone, as in `rooftop report tree … | head -1` --- */

/* The reader saw what it wanted: the status says that not all was written, and nothing else does.
 */
TEST(a_reader_that_has_gone)
{
    static const char *const commands[] = {"doctor", "--help", "--headless --frames 1",
                                           "--print-config"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct program p;
        char line[256];
        snprintf(line, sizeof line,
                 "mkfifo $D/pipe%zu; exec 3<>$D/pipe%zu 4>$D/pipe%zu 3<&-; $BIN %s >&4", i, i, i,
                 commands[i]);
        program_expect(&p, line, 7);
        if (p.err_len)
            fail_msg("rooftop %s into a pipe without a reader said: %s", commands[i], p.err);
        program_free(&p);
    }
}

TEST_MAIN(set_up, temp_folder_remove)
