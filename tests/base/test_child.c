/* Programs that are started as helpers: what they begin with, what starting one costs, and that
 * none outlives who started it. Forks: not for TSan. */
#include "base/child.h"
#include "support/skip.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LONG_MS = 100000, /* no test waits so long, unless it fails */
    SECOND_NS = 1000000000,
    PAGES = 4096,
};

static char *run_shell(const char *line)
{
    char *text = NULL, *argv[] = {"/bin/sh", "-c", (char *)line, NULL};
    const int rc = child_run(argv, 100 * (uint64_t)SECOND_NS, 1 << 16, &text);
    if (rc != 0)
        fail_msg("%s: %d: %s", line, rc, text ? text : "");
    return text;
}

static pid_t start_shell(const char *line, int out)
{
    char *argv[] = {"/bin/sh", "-c", (char *)line, NULL};
    pid_t pid = -1;
    assert_int_equal(child_start(argv, environ, out, STDERR_FILENO, &pid), 0);
    return pid;
}

TEST(it_ends_when_its_caller_is_killed)
{
    int fd[2];
    char byte;
    assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
    const pid_t caller = fork();
    if (caller == 0) {
        start_shell("trap '' HUP INT TERM; echo; exec sleep 1000", fd[1]);
        pause();
        _exit(1);
    }
    close(fd[1]);
    assert_int_equal(read(fd[0], &byte, 1), 1);
    kill(caller, SIGKILL);
    struct pollfd end = {.fd = fd[0], .events = POLLIN};
    assert_int_equal(poll(&end, 1, LONG_MS), 1);
    assert_int_equal(read(fd[0], &byte, 1), 0); /* both ends of it are closed */
    close(fd[0]);
    assert_int_equal(waitpid(caller, NULL, 0), caller);
}

static void on_signal(int signo)
{
    (void)signo;
}

/* The caller's handlers, ignored and blocked signals are neither passed on nor changed. */
TEST(signals_are_the_usual_ones_in_it_and_as_before_in_the_caller)
{
    sigset_t blocked, before, now;
    struct sigaction handler;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    signal(SIGUSR1, on_signal);
    signal(SIGTERM, SIG_IGN);
    char *text = run_shell("sed -n '/^Sig[BIC]/p' /proc/self/status");
    unsigned long blocking = 1, ignoring = 1, catching = 1;
    sscanf(text, "SigBlk: %lx SigIgn: %lx SigCgt: %lx", &blocking, &ignoring, &catching);
    assert_int_equal(blocking, 0);
    assert_int_equal(ignoring & ~(3UL << 31), 0); /* 32 and 33 belong to the C library */
    assert_int_equal(catching, 0);
    free(text);
    pthread_sigmask(SIG_SETMASK, &before, &now);
    sigaction(SIGUSR1, NULL, &handler);
    assert_ptr_equal(handler.sa_handler, on_signal);
    assert_true(sigismember(&now, SIGUSR2) && !sigismember(&now, SIGINT));
    assert_ptr_equal(signal(SIGTERM, SIG_DFL), SIG_IGN);
    signal(SIGUSR1, SIG_DFL);
}

TEST(it_has_no_input_and_a_group_of_its_own)
{
    char *text = run_shell("exec 2>&1; cat; [ \"$(cut -d ' ' -f 5 /proc/$$/stat)\" = $$ ] && "
                           "echo own");
    assert_string_equal(text, "own\n");
    free(text);
}

TEST(what_cannot_be_started_leaves_no_process)
{
    char *none[] = {"/nonexistent/program", NULL}, *folder[] = {"/", NULL}, *text = NULL;
    pid_t pid = -7;
    assert_int_equal(child_start(none, environ, STDOUT_FILENO, STDERR_FILENO, &pid), -ENOENT);
    assert_int_equal(pid, -7);
    assert_int_equal(child_run(folder, SECOND_NS, 100, &text), -EACCES);
    free(text);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static long count_faults_of_writing(volatile char *pages, size_t page)
{
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    for (size_t i = 0; i < PAGES; i++)
        pages[i * page]++;
    getrusage(RUSAGE_THREAD, &after);
    return after.ru_minflt - before.ru_minflt;
}

/* A copy of the caller's memory, as fork makes it, would be seen by its pages: each faults when it
 * is written again. */
TEST(the_memory_of_the_caller_is_not_copied)
{
#ifdef __SANITIZE_ADDRESS__
    skip_because("under AddressSanitizer children are started by fork: its vfork knows one stack");
#endif
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages =
        mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    madvise(pages, PAGES * page, MADV_NOHUGEPAGE);
    count_faults_of_writing(pages, page);
    const pid_t pid = start_shell("exec sleep 1000", STDOUT_FILENO);
    assert_in_range(count_faults_of_writing(pages, page), 0, PAGES / 4);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    munmap(pages, PAGES * page);
}

TEST(too_much_output_and_too_long_a_time_end_it)
{
    char *text = NULL;
    char *much[] = {"/bin/sh", "-c", "while :; do echo much; done", NULL};
    char *late[] = {"/bin/sh", "-c", "sleep 1000", NULL};
    assert_int_equal(child_run(much, 100 * (uint64_t)SECOND_NS, 1000, &text), -EFBIG);
    assert_memory_equal(text, "much\nmuch\n", 10);
    free(text);
    assert_int_equal(child_run(late, SECOND_NS / 100, 1000, &text), -ETIMEDOUT);
    free(text);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* they were reaped */
}
