/* Real child processes. Tests wait for events (a pidfd, a pipe), never for time to pass. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/live/source.h"
#include "support/test.h"

extern const struct source_ops source_command;

enum { PATIENCE_MS = 60000 };

static struct source *source;
static pid_t pid;
static struct error err;

static int open_argv(char **argv, bool spool)
{
    struct target t = {.kind = TARGET_COMMAND, .argv = argv, .spool_output = spool};
    struct source_config config = {.target = &t};
    err = (struct error)ERROR_INIT;
    int rc = source_command.open(&source, &config, &err);
    pid = config.command_pid;
    return rc;
}

/* Starts `sh -c script` and lets it run. */
static void run(const char *script)
{
    char *argv[] = {"sh", "-c", (char *)script, NULL};
    assert_int_equal(open_argv(argv, true), 0);
    assert_true(pid > 0);
    assert_int_equal(source_command.start(source, &err), 0);
}

static struct snapshot *sample(uint64_t now_ns)
{
    struct snapshot *s = snapshot_new(NULL);
    source_command.poll(source, s, now_ns);
    return s;
}

/* Waits until it ends without reaping it. */
static void await_end(pid_t p)
{
    int fd = (int)syscall(SYS_pidfd_open, p, 0);
    struct pollfd f = {.fd = fd, .events = POLLIN};
    assert_true(fd >= 0);
    assert_int_equal(poll(&f, 1, PATIENCE_MS), 1);
    close(fd);
}

static struct snapshot *sample_at_end(void)
{
    await_end(pid);
    return sample(2000000000);
}

FIXTURE(teardown)
{
    if (source)
        source_command.close(source);
    source = NULL;
    snapshot_pool_drain();
}

static void output_is(const struct snapshot *s, const char *want)
{
    assert_int_equal(s->command.output_len, strlen(want));
    assert_memory_equal(s->command.output, want, strlen(want));
}

TEST_WITH(exit_status_and_output, NULL, teardown)
{
    run("echo out; echo err >&2; exit 7");
    struct snapshot *s = sample_at_end();
    assert_false(s->command.running);
    assert_true(s->target_gone);
    assert_true(WIFEXITED(s->command.wait_status));
    assert_int_equal(WEXITSTATUS(s->command.wait_status), 7);
    assert_int_equal(s->command.pid, pid);
    output_is(s, "out\nerr\n");
    assert_int_equal(s->command.output_total, 8);
    assert_int_equal(s->command.output_dropped, 0);
    snapshot_unref(s);
    s = sample(9000000000); /* its state is still reported */
    assert_int_equal(WEXITSTATUS(s->command.wait_status), 7);
    assert_true(s->command.elapsed_s > 0);
    snapshot_unref(s);
}

TEST_WITH(death_by_signal, NULL, teardown)
{
    run("kill -TERM $$; sleep 60");
    struct snapshot *s = sample_at_end();
    assert_true(WIFSIGNALED(s->command.wait_status));
    assert_int_equal(WTERMSIG(s->command.wait_status), SIGTERM);
    snapshot_unref(s);
}

TEST_WITH(nothing_runs_before_start, NULL, teardown)
{
    char *argv[] = {"sh", "-c", "echo ran", NULL};
    assert_int_equal(open_argv(argv, true), 0);
    struct snapshot *s = sample(1);
    assert_true(s->command.running);
    assert_false(s->target_gone);
    assert_int_equal(s->command.output_total, 0);
    assert_true(s->command.elapsed_s == 0);
    snapshot_unref(s);
    assert_int_equal(getsid(pid), pid); /* signals to its group reach it before exec */
    source_command.close(source);       /* it was never let go: it ends without running anything */
    source = NULL;
    assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static int failing_start(char *program)
{
    char *argv[] = {program, NULL};
    assert_int_equal(open_argv(argv, true), 0);
    int rc = source_command.start(source, &err);
    assert_int_equal(err.kind, ERROR_TARGET);
    assert_non_null(strstr(err.what, program));
    assert_true(*err.help);
    assert_int_equal(err.code, -rc);
    source_command.close(source);
    source = NULL;
    return rc;
}

TEST_WITH(exec_failures_have_their_code, NULL, teardown)
{
    char path[] = "/tmp/rooftop-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(failing_start("no-such-command-here"), -ENOENT);
    assert_int_equal(failing_start("/no/such/file"), -ENOENT);
    fchmod(fd, 0644);
    assert_int_equal(failing_start(path), -EACCES);
    close(fd);
    unlink(path);
}

TEST_WITH(stdin_is_empty_and_no_terminal_answers, NULL, teardown)
{
    run("cat; if (: </dev/tty) 2>/dev/null; then echo tty; else echo none; fi");
    struct snapshot *s = sample_at_end();
    output_is(s, "none\n");
    snapshot_unref(s);
}

TEST_WITH(signals_are_as_at_birth, NULL, teardown)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, chld, sigpipe;
    sigset_t usr, before;
    sigemptyset(&usr);
    sigaddset(&usr, SIGUSR1);
    sigaction(SIGCHLD, NULL, &chld);
    sigaction(SIGPIPE, &ignore, &sigpipe);
    sigprocmask(SIG_BLOCK, &usr, &before);
    run("grep -E 'Sig(Blk|Ign)' /proc/self/status");
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGPIPE, &sigpipe, NULL);
    struct snapshot *s = sample_at_end();
    char text[256];
    snprintf(text, sizeof text, "%.*s", (int)s->command.output_len, s->command.output);
    const char *blocked = strstr(text, "SigBlk:"), *ignored = strstr(text, "SigIgn:");
    assert_non_null(blocked);
    assert_non_null(ignored);
    assert_int_equal(strtoull(blocked + 7, NULL, 16), 0);
    assert_int_equal(strtoull(ignored + 7, NULL, 16) >> (SIGPIPE - 1) & 1, 0);
    assert_int_equal(strtoull(ignored + 7, NULL, 16) >> (SIGCHLD - 1) & 1, 0);
    snapshot_unref(s);
}

/* It inherits the intended descriptors and no others. */
TEST_WITH(no_descriptor_is_inherited, NULL, teardown)
{
    run("ls -l /proc/self/fd | grep -cE 'memfd|ptmx|eventfd'; readlink /proc/self/fd/0");
    struct snapshot *s = sample_at_end();
    output_is(s, "0\n/dev/null\n");
    snapshot_unref(s);
}

TEST_WITH(output_beyond_a_pipe_never_blocks, NULL, teardown)
{
    run("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");
    struct snapshot *s = sample_at_end();
    assert_int_equal(s->command.output_total, 3000006);
    output_is(s, "last\n"); /* the long line is not shown, because its beginning is lost */
    char path[] = "/tmp/rooftop-save-XXXXXX";
    assert_non_null(mkdtemp(path));
    char file[64];
    struct stat st;
    snprintf(file, sizeof file, "%s/out", path);
    assert_int_equal(source_command.save_output(source, file, &err), 0);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_size, 3000006);
    assert_int_equal(source_command.save_output(source, file, &err), -EEXIST);
    assert_int_equal(err.kind, ERROR_OUTPUT);
    assert_int_equal(source_command.save_output(source, "/no/such/dir/x", &err), -ENOENT);
    unlink(file);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, xfsz;
    struct rlimit small = {.rlim_cur = 100000}, before;
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    sigaction(SIGXFSZ, &ignore, &xfsz);
    setrlimit(RLIMIT_FSIZE, &small); /* the disk is full halfway */
    int rc = source_command.save_output(source, file, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    sigaction(SIGXFSZ, &xfsz, NULL);
    assert_int_equal(rc, -EFBIG);
    assert_int_equal(err.kind, ERROR_OUTPUT);
    assert_int_equal(access(file, F_OK), -1);
    rmdir(path);
    snapshot_unref(s);
}

TEST_WITH(child_that_ignores_hup_lives_on, NULL, teardown)
{
    int fds[2];
    char name[32], byte;
    assert_int_equal(pipe(fds), 0);
    snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)getpid(), fds[1]);
    char script[256];
    snprintf(script, sizeof script,
             "trap '' HUP; exec 9>%s; echo ready >&9; exec sh -c 'while :; do sleep 1; done'",
             name);
    run(script);
    assert_int_equal(read(fds[0], &byte, 1), 1);
    pid_t p = pid;
    source_command.close(source);
    source = NULL;
    assert_int_equal(kill(p, 0), 0); /* not killed, and not a zombie */
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)p);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    assert_int_not_equal(strrchr(line, ')')[2], 'Z');
    kill(-p, SIGKILL);
    int fd = (int)syscall(SYS_pidfd_open, p, 0);
    if (fd >= 0) {
        struct pollfd w = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&w, 1, PATIENCE_MS), 1);
        close(fd);
    }
    close(fds[0]);
    close(fds[1]);
}

TEST_WITH(running_child_is_hung_up, NULL, teardown)
{
    run("exec sleep 1000");
    pid_t p = pid;
    source_command.close(source);
    source = NULL;
    assert_int_equal(waitpid(p, NULL, WNOHANG), -1); /* ended and reaped */
    assert_int_equal(errno, ECHILD);
    assert_int_equal(kill(p, 0), -1);
}

TEST_WITH(stopped_child_is_hung_up, NULL, teardown)
{
    run("exec sleep 1000");
    siginfo_t info;
    kill(pid, SIGSTOP);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED), 0);
    pid_t p = pid;
    source_command.close(source); /* which may give up waiting for it where CPUs are busy */
    source = NULL;
    const pid_t reaped = waitpid(p, NULL, 0);
    assert_true(reaped == p || (reaped == -1 && errno == ECHILD));
}

/* The end of the command counts, even if it leaves processes behind. */
TEST_WITH(end_does_not_wait_for_what_it_left, NULL, teardown)
{
    run("(setsid sleep 1000 & echo $! ); echo done");
    struct snapshot *s = sample_at_end();
    assert_true(s->target_gone);
    char text[128];
    snprintf(text, sizeof text, "%.*s", (int)s->command.output_len, s->command.output);
    pid_t left = (pid_t)atol(text);
    assert_non_null(strstr(text, "done\n"));
    snapshot_unref(s);
    assert_true(left > 1);
    kill(left, SIGKILL);
}

TEST_WITH(without_spool_nothing_is_kept, NULL, teardown)
{
    char *argv[] = {"true", NULL};
    assert_int_equal(open_argv(argv, false), 0);
    assert_int_equal(source_command.start(source, &err), 0);
    struct snapshot *s = sample_at_end();
    assert_null(s->command.output);
    assert_int_equal(s->command.wait_status, 0);
    snapshot_unref(s);
    assert_true(source_command.save_output(source, "/tmp/x", &err) < 0);
}

TEST_WITH(other_targets_start_nothing, NULL, teardown)
{
    struct target t = {.kind = TARGET_HOST};
    struct source_config config = {.target = &t};
    assert_int_equal(source_command.open(&source, &config, &err), 0);
    assert_int_equal(config.command_pid, 0);
    assert_int_equal(source_command.start(source, &err), 0);
    struct snapshot *s = sample(1);
    assert_int_equal(s->command.pid, 0);
    assert_false(s->target_gone);
    snapshot_unref(s);
}

/* as when another source cannot be opened */
TEST_WITH(never_started_ends_when_closed, NULL, teardown)
{
    for (int i = 0; i < 20; i++) { /* also right after its start */
        char *argv[] = {"sleep", "1000", NULL};
        assert_int_equal(open_argv(argv, i % 2), 0);
        source_command.close(source);
        source = NULL;
        assert_int_equal(kill(pid, 0), -1);
    }
}

TEST_WITH(nohup_stays, NULL, teardown)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGHUP, &ignore, &before);
    run("grep SigIgn /proc/self/status");
    sigaction(SIGHUP, &before, NULL);
    struct snapshot *s = sample_at_end();
    /* the bit of signal 1 (SIGHUP) */
    assert_int_equal(s->command.output[s->command.output_len - 2], '1');
    snapshot_unref(s);
}
