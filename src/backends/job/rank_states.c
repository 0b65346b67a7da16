/*
 * What the program's first thread does, looked at often: Linux counts neither how long a thread
 * waited for a disk nor how long it was stopped, and forgets its wait for CPUs with the thread.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backends/common/proc_file.h"
#include "backends/job/rank_impl.h"
#include "base/env.h"
#include "base/thread.h"

#define LOOK_NS UINT64_C(50000000) /* between two looks */

/* The letter of Documentation/filesystems/proc.rst, table 1-4; 0: the process is gone. */
static char read_rank_state(struct kept_file *file, pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    const ssize_t n = kept_read(file, path, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : '\0';
}

/* On a busy machine a look may be late: a state that was not seen before may have just begun. */
static uint64_t count_state_time(uint64_t passed, bool lasts)
{
    return lasts || passed < 2 * LOOK_NS ? passed : 2 * LOOK_NS;
}

static void *look_at_states(void *arg)
{
    struct rank_states *r = arg;
    struct kept_file stat = {0}, schedstat = {0};
    char path[64], text[128], state = 'R';
    uint64_t before = env_now_ns();
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)r->pid);
    do {
        const char last = state;
        nanosleep(&(struct timespec){.tv_nsec = (long)LOOK_NS}, NULL);
        state = read_rank_state(&stat, r->pid);
        const ssize_t n = kept_read(&schedstat, path, text, sizeof text - 1);
        text[n > 0 ? n : 0] = '\0';
        sscanf(text, "%*u %" SCNu64, &r->ready);
        const uint64_t now = env_now_ns(), passed = now - before;
        before = now;
        const uint64_t known = count_state_time(passed, state == last);
        r->disk += state == 'D' ? known : 0;
        r->stopped += state == 'T' || state == 't' ? known : 0;
    } while (state && !atomic_load(&r->end));
    kept_close(&stat);
    kept_close(&schedstat);
    return NULL;
}

void rank_states_begin(struct rank_states *r, pid_t pid)
{
    if (r->pid)
        return;
    r->pid = pid;
    r->started = thread_start(&r->thread, look_at_states, r) == 0;
}

bool rank_states_end(struct rank_states *r)
{
    if (!r->started)
        return false;
    atomic_store(&r->end, true);
    pthread_join(r->thread, NULL);
    r->started = false;
    return true;
}
