/*
 * What a program must not notice of its bricks and their counters: errno, memory of its own,
 * threads that are cancelled. The first bricks of the process come after its own fork handler, so
 * each test is a process of its own. (Forks: not for TSan.)
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/skip.h"
#include "support/test.h"

enum { CANNOT = 77, SECONDS = 30 };

/* Runs it in a child, which ends with its result; a child that hangs is ended. */
static void run_apart(int (*test)(void))
{
    int status = -1;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(SECONDS);
        setenv("ROOFTOP_BRICK_COUNTERS", "page-faults,none=99:1", 1);
        _exit(test());
    }
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
        skip_because("page faults cannot be counted here");
    assert_int_equal(status, 0);
}

static void a_brick(void)
{
    rooftop_stop(rooftop_start(rooftop_brick("Quiet")), 1);
}

/* --- fork --- */

static void *page; /* of a counter, in the parent */

/* What a library does that runs before ours in the child: its memory may lie where the page was. */
static void map_there(void)
{
    enum { SIZE = 4096 };
    void *own = page ? mmap(page, SIZE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)
                     : MAP_FAILED;
    page = own == page ? own : NULL;
    if (page)
        memset(page, 1, SIZE);
}

static void *find_page(void)
{
    char line[512];
    unsigned long at = 0;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && !at && fgets(line, sizeof line, f))
        if (strstr(line, "[perf_event]"))
            at = strtoul(line, NULL, 16);
    if (f)
        fclose(f);
    return (void *)at; /* NOLINT(performance-no-int-to-ptr) */
}

static int memory_of_the_child(void)
{
    pthread_atfork(NULL, NULL, map_there);
    a_brick();
    page = find_page();
    if (!page)
        return CANNOT;
    int status = -1;
    const pid_t pid = fork();
    if (pid == 0) {
        if (!page)
            _exit(CANNOT);
        unsigned char resident;
        _exit(mincore(page, 1, &resident) == 0 && *(char *)page == 1 ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

TEST(a_fork_unmaps_nothing_of_the_child)
{
    run_apart(memory_of_the_child);
}

/* --- errno --- */

static void *keep_errno(void *arg)
{
    (void)arg;
    errno = EXDEV;
    rooftop_timer t = rooftop_start(rooftop_brick("First"));
    const bool started = errno == EXDEV;
    rooftop_stop(t, 1);
    return started && errno == EXDEV ? "" : NULL;
}

static int errno_of_threads(void)
{
    void *kept = keep_errno(NULL);
    pthread_t thread;
    if (!kept || pthread_create(&thread, NULL, keep_errno, NULL) != 0)
        return 1;
    pthread_join(thread, &kept);
    return kept ? 0 : 2;
}

/* A brick often ends between a call that failed and the look at errno. */
TEST(errno_stays)
{
    run_apart(errno_of_threads);
}

/* --- threads that are cancelled --- */

static void *be_cancelled(void *arg)
{
    pthread_cancel(pthread_self());
    a_brick();
    *(bool *)arg = true;
    pthread_testcancel();
    return NULL;
}

static int cancelled_thread(void)
{
    bool after = false;
    pthread_t thread;
    void *end;
    if (pthread_create(&thread, NULL, be_cancelled, &after) != 0)
        return 1;
    pthread_join(thread, &end);
    rooftop_brick("Needs the lock"); /* a lock that the thread took along would stop us here */
    return after && end == PTHREAD_CANCELED ? 0 : 2;
}

TEST(a_cancelled_thread_keeps_no_lock)
{
    run_apart(cancelled_thread);
}

BRICK_FOLDER_MAIN
