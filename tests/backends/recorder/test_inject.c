/*
 * Programs under the recorder behave as they do untraced, and each of their calls is seen: the same
 * calls as under ptrace, which stops at every one. The sanitizer makes calls of its own between the
 * fork and the exec: not for TSan.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/syscalls/memory.h"
#include "engine/syscalls/tracer.h"
#include "support/compiled.h"
#include "support/program.h"
#include "support/recorder_library.h"
#include "support/skip.h"
#include "support/test.h"

extern const struct tracer_ops tracer_inject, tracer_ptrace;

enum { NUMBERS = 512 };

/* What a sink saw. */
struct seen {
    uint64_t calls[NUMBERS], starts, ends, programs;
    uint64_t backwards; /* events of a task that are earlier than one before */
    uint64_t last_ns, of_32_bits;
    struct tracer_result result;
    char out[4096];
};

static void see(void *ctx, const struct syscall_event *e)
{
    struct seen *s = ctx;
    s->of_32_bits += e->kind == SYSCALL_CALL && e->abi == SYSCALL_I386;
    if (e->kind == SYSCALL_CALL && e->abi != SYSCALL_I386 && e->number < NUMBERS)
        s->calls[e->number]++;
    s->starts += e->kind == SYSCALL_START;
    s->ends += e->kind == SYSCALL_EXIT;
    s->programs += e->kind == SYSCALL_EXEC;
    s->backwards += e->kind == SYSCALL_CALL && e->end_ns < e->begin_ns;
}

static void needs_program(const char *name)
{
    char line[256];
    struct program p;
    snprintf(line, sizeof line, "command -v %s", name);
    program_run(&p, line);
    const int status = p.status;
    program_free(&p);
    if (status != 0)
        skip_because("%s is not installed", name);
}

static void read_output(char *out, size_t size)
{
    FILE *f = fopen(compiled_path("out"), "r");
    assert_non_null(f);
    out[fread(out, 1, size - 1, f)] = '\0';
    fclose(f);
}

static bool counts_only; /* the recorder copies no memory */

/* Runs a shell command under a mechanism; what it writes goes to a file. */
static void trace(const struct tracer_ops *by, const char *command, struct seen *s)
{
    char line[2048];
    char *argv[] = {(char *)"sh", (char *)"-c", line, NULL}; /* NOLINT: execve's type */
    const struct syscall_sink sink = {.event = see, .ctx = s};
    const struct tracer_setup setup = {.argv = argv,
                                       .follow = true,
                                       .counts_only = counts_only || by == &tracer_ptrace,
                                       .same_cpu = true,
                                       .inject = true,
                                       .string_limit = 32};
    struct error err = ERROR_INIT;
    *s = (struct seen){0};
    snprintf(line, sizeof line, "exec >%s 2>&1 </dev/null; cd %s; exec %s", compiled_path("out"),
             compiled_dir(), command);
    if (by->run(&setup, &sink, &s->result, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    assert_true(s->result.ended);
    read_output(s->out, sizeof s->out);
}

static int run_untraced(const char *command, char *out, size_t size)
{
    char line[2048];
    snprintf(line, sizeof line, "exec >%s 2>&1 </dev/null; cd %s; exec %s", compiled_path("out"),
             compiled_dir(), command);
    const int status = system(line);
    read_output(out, size);
    return status;
}

/* Output and status are those of the untraced run, and no call was lost. */
static void inject(const char *command, struct seen *s)
{
    char out[sizeof s->out];
    const int status = run_untraced(command, out, sizeof out);
    trace(&tracer_inject, command, s);
    assert_string_equal(s->out, out);
    assert_int_equal(s->result.status, status);
    assert_int_equal(s->result.lost, 0);
    assert_int_equal(s->backwards, 0);
    assert_int_equal(s->starts, s->ends);
}

static bool is_in(const char *name, const char *list)
{
    const size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

/* varies: calls whose number differs from run to run, with any mechanism. */
static void expect_all(const char *command, const char *varies)
{
    static struct seen seen[2];
    struct seen *a = &seen[0], *b = &seen[1];
    inject(command, a);
    trace(&tracer_ptrace, command, b);
    if (strcmp(a->out, b->out) != 0 || a->result.status != b->result.status || b->result.lost)
        fail_msg("%s: under ptrace status %d, %lu lost, output '%s'; injected status %d, '%s'",
                 command, b->result.status, (unsigned long)b->result.lost, b->out, a->result.status,
                 a->out);
    for (uint32_t i = 0; i < NUMBERS; i++)
        if (a->calls[i] != b->calls[i] && !is_in(syscall_name(SYSCALL_X86_64, i), varies))
            fail_msg("%s: %s %lu times, under ptrace %lu", command, syscall_name(SYSCALL_X86_64, i),
                     (unsigned long)a->calls[i], (unsigned long)b->calls[i]);
    assert_int_equal(a->starts, b->starts);
    assert_int_equal(a->programs, b->programs);
    assert_true(a->result.calls[SYSCALL_BY_PATCH] > 0);
}

FIXTURE_STATUS(begin)
{
    char here[2048], line[4096];
    compiled_new();
    assert_non_null(getcwd(here, sizeof here));
    setenv("XDG_STATE_HOME", compiled_path("state"), 1);
    snprintf(
        line, sizeof line,
        "for p in threads small signals processes wrong sandbox library interrupted stack; do "
        "cc -O1 -D_GNU_SOURCE -o $p %s/tests/recorder/programs/$p.c -pthread -ldl || exit; done; "
        "cc -O1 -shared -fPIC -DLIBRARY -o own.so %s/tests/recorder/programs/library.c",
        here, here);
    if (!compiled_shell(line))
        return 1;
    return 0;
}

FIXTURE(end)
{
    compiled_free();
}

/* --- programs that are there --- */

TEST(test_scripts)
{
    recorder_library_needed();
    expect_all("bash -c 'for i in 1 2 3; do echo a b c | tr a-z A-Z | wc; done; (exit 3); echo $?'",
               "wait4 rt_sigreturn rt_sigprocmask");
    expect_all("perl -e 'print \"x\"; print `echo hi`'", "read rt_sigreturn brk");
    expect_all("env", "");
}

/* The recorder itself finds out that a file is not there: the error and the calls are the same. */
TEST(test_missing_programs)
{
    enum { EXECVE = 59, PROGRAMS = 3, MISSING = 4 };
    struct seen s;
    const char *command =
        "perl -e 'for (\"./none\", \"./small/none\", \"/tmp\", \"/\" . \"x\" x 5000) "
        "{ exec { $_ } \"a\" or print $! + 0, \"\\n\"; } exec { \"/bin/echo\" } \"echo\", "
        "\"done\"'";
    recorder_library_needed();
    /* perl's memory depends on the size of its environment, in which the recorder is named. */
    expect_all(command, "brk");
    inject(command, &s);
    assert_string_equal(s.out, "2\n20\n13\n36\ndone\n");
    assert_int_equal(s.programs, PROGRAMS);
    assert_true(s.calls[EXECVE] >= PROGRAMS + MISSING);
}

TEST(test_python)
{
    recorder_library_needed();
    needs_program("/usr/bin/python3"); /* not a script that starts it */
    expect_all("/usr/bin/python3 -S -E -c 'print(sum(range(100)))'", "brk getrandom mmap munmap");
}

/* Its threads begin and wait as they like: only what it does is compared. */
TEST(test_node)
{
    struct seen s;
    recorder_library_needed();
    needs_program("node");
    inject("node -e 'console.log(1)'", &s);
}

TEST(test_make)
{
    recorder_library_needed();
    needs_program("make");
    compiled_write("Makefile", "all:\n\ttrue; echo $(shell echo a)\n\ttrue\n");
    expect_all("make -s", "wait4 rt_sigreturn rt_sigprocmask");
}

/* --- the hard cases --- */

TEST(test_threads)
{
    recorder_library_needed();
    expect_all("./threads 200", "futex mmap munmap mprotect madvise");
}

/* Under ptrace so many would take minutes on a busy machine: that they make the same calls is known
 * of 200, and how often each must come of 5,000 too. */
TEST(test_many_threads)
{
    enum { THREADS = 5000, CALLS = 20, GETPPID = 110, EXIT = 60, CLONE = 56, CLONE3 = 435 };
    enum { ROBUST_LIST = 273 };
    static struct seen s;
    recorder_library_needed();
    counts_only = true;
    inject("./threads 5000 together", &s);
    counts_only = false;
    assert_string_equal(s.out, "made 5000 joined 5000\n");
    assert_in_range(s.calls[GETPPID], THREADS * CALLS, THREADS * CALLS + 1); /* one by the shell */
    assert_int_equal(s.calls[CLONE] + s.calls[CLONE3], THREADS);
    assert_int_equal(s.calls[EXIT], THREADS);
    assert_int_equal(s.starts, THREADS + 1);
    assert_true(s.calls[ROBUST_LIST] >= THREADS);
    assert_true(s.result.calls[SYSCALL_BY_PATCH] > THREADS * CALLS);
}

/* 50 us are shorter than ptrace takes: what the program counted is the measure. */
static void expect_signals(void)
{
    enum { GETSID = 124, YIELD = 24, SIGRETURN = 15, PAUSE = 34, CLONE = 56, VFORK = 58 };
    static struct seen s;
    long hits = 0;
    trace(&tracer_inject, "./signals", &s);
    const char *at = strstr(s.out, "hits ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "hits %ld", &hits), 1);
    assert_non_null(strstr(s.out, "blocked 1 pselect 0 open 0 ignored 1\n"));
    assert_non_null(strstr(s.out, "wrong 0 children 50 jumps 100 "));
    assert_true(hits > 100);
    assert_int_equal(s.calls[GETSID], 2 * hits);
    assert_int_equal(s.calls[SIGRETURN], hits);
    assert_int_equal(s.calls[YIELD], 300000);
    assert_in_range(s.calls[PAUSE], 1, 100); /* on a busy machine signals come before it */
    assert_int_equal(s.calls[CLONE] + s.calls[VFORK], 150);
    assert_int_equal(s.result.torn + s.result.lost, 0);
    assert_int_equal(s.result.status, 0);
}

/* A 64-bit program may make 32-bit calls: ptrace sees them. */
TEST(test_calls_of_32_bits)
{
    static struct seen s;
    recorder_library_needed();
    inject("./small", &s);
    assert_string_equal(s.out, "20 of 20\n");
    assert_int_equal(s.of_32_bits, 21); /* 20 of getppid, and the fork of a child */
    assert_int_equal(s.calls[110], 12);
}

TEST(test_signals)
{
    recorder_library_needed();
    expect_signals();
    counts_only = true;
    expect_signals();
    counts_only = false;
}

TEST(test_processes)
{
    recorder_library_needed();
    expect_all("./processes", "wait4 rt_sigreturn rt_sigprocmask read");
}

TEST(test_cancelled)
{
    struct seen s;
    char line[4096], here[2048];
    recorder_library_needed();
    needs_program("c++");
    assert_non_null(getcwd(here, sizeof here));
    snprintf(line, sizeof line, "c++ -O1 -o cancel %s/tests/recorder/programs/cancel.cpp -pthread",
             here);
    assert_true(compiled_shell(line));
    inject("./cancel", &s);
    assert_non_null(strstr(s.out, "cancelled 60 cleaned 60 destroyed 340 caught 100"));
}

/* What the recorder takes of the stack under a call: handlers run on small stacks. */
TEST(test_stack)
{
    enum { BOUND = 1536 }; /* docs/RECORDER.md says so */
    static struct seen s;
    long most = 0;
    recorder_library_needed();
    trace(&tracer_inject, "./stack", &s);
    assert_int_equal(s.result.status, 0);
    assert_true(s.result.calls[SYSCALL_BY_PATCH] > 0);
    assert_int_equal(sscanf(s.out, "most %ld", &most), 1);
    assert_in_range(most, 1, BOUND);
}

TEST(test_wrong_arguments)
{
    recorder_library_needed();
    expect_all("./wrong", "");
}

TEST(test_library)
{
    recorder_library_needed();
    expect_all("./library ./own.so", "");
}

/* Its call site is patched when the library is mapped, not left to the slow way. */
TEST(test_library_patched)
{
    struct seen s;
    recorder_library_needed();
    inject("./library ./own.so", &s);
    assert_int_equal(s.result.calls[SYSCALL_BY_DISPATCH], 0);
}

TEST(test_descriptors)
{
    struct seen s;
    recorder_library_needed();
    inject(
        "bash -c 'exec 3</etc/passwd; ls /proc/self/fd | wc -l; echo $LD_PRELOAD$ROOFTOP_RECORDER'",
        &s);
}

/* What cannot be recorded from inside is traced from outside, and it is said. */
TEST(test_steps_aside)
{
    static const char *const ways[] = {"strict", "filter", "trap", "tsc", "gs", "dumpable"};
    char command[64];
    struct seen s;
    recorder_library_needed();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(command, sizeof command, "./sandbox %s", ways[i]);
        expect_all(command, "");
        inject(command, &s);
        assert_non_null(strstr(s.result.notes[0], "traced by ptrace since"));
    }
    inject("./sandbox signal", &s);
    assert_true(WIFSIGNALED(s.result.status));
    inject("./sandbox vfork", &s); /* the maker's mask and action of SIGSYS are not the child's */
    assert_string_equal(s.out, "blocked 1 ignored 1\n");
}

/* Process numbers in it are others than ours. */
TEST(test_process_namespace)
{
    struct seen s;
    struct program p;
    recorder_library_needed();
    program_run(&p, "unshare -pf true");
    const int status = p.status;
    program_free(&p);
    if (status != 0)
        skip_because("unshare -p: it is not there, or not allowed");
    inject("unshare -pf sh -c 'echo $$; /bin/echo x; (exit 3); echo $?'", &s);
    assert_non_null(strstr(s.result.notes[0], "traced by ptrace since"));
    expect_all("unshare -pf sh -c 'echo $$; /bin/echo x'", "wait4 rt_sigreturn rt_sigprocmask");
}

TEST(test_static)
{
    struct seen s;
    recorder_library_needed();
    compiled_write("static.c", "#include <unistd.h>\nint main(void) { return getppid() < 0; }\n");
    if (!compiled_shell("cc -static -o static static.c"))
        skip_because("no static C library");
    expect_all("./static", "");
    inject("./static", &s);
    assert_true(s.result.calls[SYSCALL_BY_PTRACE] > 0);
}

/* Its library has to be the first: the recorder's must not be before it. */
TEST(test_sanitized)
{
    struct seen s;
    recorder_library_needed();
    compiled_write("sane.c", "#include <stdio.h>\nint main(void) { return puts(\"sane\") < 0; }\n");
    if (!compiled_shell("cc -fsanitize=address -o sane sane.c"))
        skip_because("no address sanitizer for C");
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    inject("./sane", &s);
    assert_string_equal(s.out, "sane\n");
    inject("sh -c './sane; true'", &s);
    assert_string_equal(s.out, "sane\n");
}

/* The address space is too small for the rings: the program runs, and is traced with ptrace. */
TEST(test_memory_limit)
{
    struct seen s;
    recorder_library_needed();
    inject("sh -c 'ulimit -v 6000; /bin/true; echo $?'", &s);
}

TEST(test_killed)
{
    struct seen s;
    recorder_library_needed();
    inject("sh -c 'sleep 100 & kill -9 $!; wait $!; echo $?; kill -TERM $$'", &s);
    assert_true(WIFSIGNALED(s.result.status));
    assert_int_equal(WTERMSIG(s.result.status), 15);
}

/* What the events of one call keep of an argument's memory. */
struct kept_memory {
    uint32_t number;
    unsigned arg;
    bool at_return;
    uint8_t bytes[70000];
    size_t n;
    bool cut;
    int64_t result, only[2]; /* only: results of interest, unless they are 0 */
    unsigned seen;
};

static void keep_memory(void *ctx, const struct syscall_event *e)
{
    struct kept_memory *k = ctx;
    if (e->kind != SYSCALL_CALL || e->number != k->number || e->way == SYSCALL_BY_PTRACE)
        return;
    if (k->only[0] && e->result != k->only[0] && e->result != k->only[1])
        return;
    const uint8_t *bytes = syscall_kept(e, e->args[k->arg], k->at_return, &k->n, &k->cut);
    if (!bytes)
        k->n = 0;
    else
        memcpy(k->bytes, bytes, k->n);
    k->result = e->result;
    k->seen++;
}

/* Runs a program under the recorder. limit: bytes of strings and buffers. */
static void keep_of(struct kept_memory *k, char *const *argv, uint32_t limit)
{
    struct tracer_result result;
    const struct syscall_sink sink = {.event = keep_memory, .ctx = k};
    const struct tracer_setup setup = {
        .argv = argv, .follow = true, .inject = true, .string_limit = limit};
    assert_int_equal(tracer_inject.run(&setup, &sink, &result, NULL), 0);
    assert_int_equal(result.status, 0);
    assert_int_equal(result.torn + result.lost, 0);
    assert_true(k->seen > 0);
}

static void keep(struct kept_memory *k, const char *script, uint32_t limit)
{
    char *argv[] = {(char *)"perl", (char *)"-e", (char *)script, NULL}; /* NOLINT: execve's type */
    keep_of(k, argv, limit);
}

enum { NR_WRITE = 1, NR_SIGRETURN = 15, NR_RENAME = 82 };

TEST(test_paths)
{
    static struct kept_memory k = {.number = NR_RENAME, .arg = 1};
    recorder_library_needed();
    keep(&k, "rename('/nonexistent', '/tmp/' . 'x' x 3000)", 32);
    assert_int_equal(k.n, 3006); /* with its NUL */
    assert_memory_equal(k.bytes, "/tmp/xxxxx", 10);
    assert_int_equal(k.bytes[3004], 'x');
    assert_int_equal(k.bytes[3005], 0);
    assert_false(k.cut);
    keep(&k, "rename('/nonexistent', 'y' x 5000)", 32); /* longer than any path */
    assert_int_equal(k.n, 4095);
    assert_true(k.cut);
}

TEST(test_buffers)
{
    static struct kept_memory k = {.number = NR_WRITE, .arg = 1};
    recorder_library_needed();
    keep(&k, "syswrite(STDERR, 'ab' x 5, 0)", 32); /* nothing is written */
    assert_int_equal(k.n, 0);
    keep(&k, "open(F, '>/dev/null'); syswrite(F, 'ab' x 50)", 32);
    assert_int_equal(k.n, 32);
    assert_memory_equal(k.bytes, "abababab", 8);
    keep(&k, "open(F, '>/dev/null'); syswrite(F, 'ab' x 20000) for 1..100", 30000);
    assert_int_equal(k.seen, 102); /* they go round the ring many times */
    assert_int_equal(k.n, 30000);
    for (size_t i = 0; i < k.n; i++)
        assert_int_equal(k.bytes[i], i % 2 ? 'b' : 'a');
}

/* What a handler returns to: the mask, and what the call that it interrupted returned. */
TEST(test_return_from_handler)
{
    static struct kept_memory k = {.number = NR_SIGRETURN};
    recorder_library_needed();
    keep(&k, "$SIG{USR1} = sub {}; kill USR1 => $$", 32);
    assert_int_equal(k.seen, 1);
    assert_int_equal(k.result, 0);
}

/* The last read from a pipe of a program whose read a signal interrupts. */
static void keep_interrupted(struct kept_memory *k, const char *how)
{
    char *argv[] = {(char *)compiled_path("interrupted"), (char *)how, NULL}; /* NOLINT: execve's */
    *k = (struct kept_memory){.number = 0, .arg = 1, .at_return = true, .only = {-EINTR, 16}};
    recorder_library_needed();
    keep_of(k, argv, 32);
}

/* What a read got is not lost where its signal handler left a call by a jump. The read is told
 * once: its restart is the kernel's own, and nothing of the program runs in between. */
TEST(test_interrupted_and_restarted)
{
    static struct kept_memory k;
    keep_interrupted(&k, "restart");
    assert_int_equal(k.seen, 1);
    assert_int_equal(k.result, 16);
    assert_int_equal(k.n, 16);
    assert_memory_equal(k.bytes, "from the handler", 16);
}

/* A read that failed wrote nothing: its buffer is not shown as if it had. */
TEST(test_interrupted_and_failed)
{
    static struct kept_memory k;
    keep_interrupted(&k, "error");
    if (k.result != -EINTR)
        skip_because("the signal came before the read");
    assert_int_equal(k.n, 0);
}

/* Waits until a file has this text, for at most half a minute. */
static bool appears(const char *name, const char *text)
{
    char line[256];
    struct program p;
    snprintf(line, sizeof line,
             "for i in $(seq 300); do grep -q '%s' %s && exit 0; sleep 0.1; done; exit 1", text,
             compiled_path(name));
    program_run(&p, line);
    const bool ok = p.status == 0;
    program_free(&p);
    return ok;
}

/* rooftop is killed: the program goes on, also where its ring is full and where it executes. */
TEST(test_killed_tracer)
{
    recorder_library_needed();
    compiled_write("long.sh", "echo begun\n"
                              "for i in 1 2 3 4 5; do sleep 0.1; done\n"
                              "./signals | sed 's/hits.*//'; env | grep -c ROOFTOP_RECORDER\n"
                              "echo done\n");
    compiled_write("out", "");
    const pid_t tracer = fork();
    if (tracer == 0) {
        struct seen s;
        trace(&tracer_inject, "sh long.sh", &s);
        _exit(0);
    }
    assert_true(appears("out", "^begun$"));
    kill(tracer, SIGKILL);
    waitpid(tracer, NULL, 0);
    assert_true(appears("out", "^done$"));
    assert_true(appears("out", "^wrong 0 children 50 jumps 100 $"));
}

/* A set-user-ID program would lose its rights under ptrace: it keeps them, and it is said. */
TEST(test_set_user_id)
{
    struct seen s;
    struct stat st;
    recorder_library_needed();
    needs_program("setpriv");
    if (geteuid() != 0)
        skip_because("only root can make a program set-user-ID");
    assert_true(
        compiled_shell("cp \"$(command -v id)\" own-id && chmod 4755 own-id && chmod 755 . && "
                       "touch out && chmod 666 out"));
    assert_int_equal(stat(compiled_path("own-id"), &st), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0 || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0)
            _exit(1);
        trace(&tracer_inject, "sh -c './own-id -u; id -u; ./own-id -u'", &s);
        _exit(strcmp(s.out, "0\n65534\n0\n") != 0         ? 2
              : !strstr(s.result.notes[0], "set-user-ID") ? 3
                                                          : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

TEST_MAIN(begin, end)
