/*
 * A traced program that finds the trace's shared memory and writes into it.
 *   forger noise SEED [DROP]: any values into the control, the states and its own rings, then it
 *     ends by a trap, without a call. DROP: as another user, which root's program becomes first; it
 *     attaches the memory once more before.
 *   forger apart FILE: the same without noise, in a child; writes what both still share.
 *   forger task PID FILE: a ring in which process PID asks to be traced; writes what it got.
 * The layout is that of format/syscall_ring.h.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../src/format/syscall_ring.h"

static struct syscall_control *control;
static int control_id;
static uint8_t *rings; /* of the first chunk */

static void find(void)
{
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) {
        void *from, *to;
        if (!strstr(line, "/SYSV") || !strstr(line, " rw-s ") ||
            sscanf(line, "%p-%p", &from, &to) != 2)
            continue;
        if ((uintptr_t)to - (uintptr_t)from >= SYSCALL_RING_SIZE * SYSCALL_RING_PER_CHUNK)
            rings = from;
        else if (((struct syscall_control *)from)->magic == SYSCALL_RING_MAGIC) {
            control = from;
            sscanf(line, "%*s %*s %*s %*s %d", &control_id);
        }
    }
    if (f)
        fclose(f);
    if (!control || !rings) {
        puts("no shared memory");
        exit(3);
    }
}

static void keep(void)
{
    control = shmat(control_id, NULL, 0);
    rings = shmat(control->chunk_ids[0], NULL, 0);
}

static int count_shared(void)
{
    char line[512];
    int n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        n += strstr(line, "/SYSV") && strstr(line, " rw-s ");
    if (f)
        fclose(f);
    return n;
}

static struct syscall_ring *ring(unsigned i)
{
    return (struct syscall_ring *)(void *)(rings + i * SYSCALL_RING_SIZE);
}

static uint64_t state;

static uint32_t next(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* Counters that wrap, numbers of other segments, pointers. */
static uint32_t value(void)
{
    static const uint32_t bad[] = {0, 1, 2, 3, 16, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
    const uint32_t which = next() % 12;
    return which < sizeof bad / sizeof *bad ? bad[which] : next();
}

static void noise(void)
{
    const size_t words = sizeof *control / 4;
    for (unsigned round = 0; round < 400000; round++) {
        uint32_t *to = (uint32_t *)control + next() % (round % 2 ? 16 : words);
        if (round % 4 == 2)
            to = &control->states[next() % 64];
        else if (round % 4 == 3)
            to = (uint32_t *)(void *)ring(next() % 16) + next() % 2048;
        __atomic_store_n(to, value(), __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&control->bell, 1, __ATOMIC_SEQ_CST);
    }
    __builtin_trap();
}

static uint32_t ask(uint32_t want, int32_t pid, int32_t tid)
{
    static char path[] = "/bin/true";
    unsigned i = 15; /* far from those that are used */
    struct syscall_ring *r = ring(i);
    memset(r, 0, sizeof *r);
    r->pid = pid;
    r->tid = tid;
    r->ask[0] = (uint64_t)(uintptr_t)path;
    r->ask[1] = (uint64_t)AT_FDCWD;
    r->answer = 99;
    r->text_to = UINT64_MAX;
    r->part.from = 99;
    if (want == SYSCALL_WANT_SITES)
        r->ask[0] = (uint64_t)(uintptr_t)&exit; /* where a copy of this process has the C library */
    __atomic_store_n(&control->states[i], SYSCALL_RING_USED, __ATOMIC_SEQ_CST);
    __atomic_store_n(&r->want, want, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&r->want, __ATOMIC_SEQ_CST)) {
        __atomic_fetch_add(&control->bell, 1, __ATOMIC_SEQ_CST);
        sched_yield();
    }
    __atomic_store_n(&control->states[i], SYSCALL_RING_FREE, __ATOMIC_SEQ_CST);
    return r->answer;
}

static int tracer_of(int pid)
{
    char path[64], line[256];
    int tracer = -1;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "TracerPid: %d", &tracer);
    if (f)
        fclose(f);
    return tracer;
}

int main(int argc, char **argv)
{
    find();
    if (argc > 2 && strcmp(argv[1], "noise") == 0) {
        state = strtoull(argv[2], NULL, 10);
        if (argc > 3)
            keep();
        if (argc > 3 && setuid(65534) != 0)
            return 4;
        noise();
    }
    if (argc > 2 && strcmp(argv[1], "apart") == 0 && freopen(argv[2], "w", stdout)) {
        const int before = count_shared();
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            const int rc = setuid(65534);
            _exit(rc == 0 ? count_shared() : 99);
        }
        waitpid(child, &status, 0);
        printf("before %d parent %d child %d\n", before, count_shared(), WEXITSTATUS(status));
    }
    if (argc > 3 && strcmp(argv[1], "task") == 0 && freopen(argv[3], "w", stdout)) {
        const int pid = atoi(argv[2]);
        const unsigned attach = ask(SYSCALL_WANT_ATTACH, pid, pid);
        const unsigned aside = ask(SYSCALL_WANT_ASIDE, pid, pid);
        const unsigned sites = ask(SYSCALL_WANT_SITES, pid, pid);
        const unsigned thread = ask(SYSCALL_WANT_ATTACH, getpid(), pid);
        printf("attach %u aside %u sites %u thread %u from %d tracer %d\n", attach, aside, sites,
               thread, (int)ring(15)->part.from, tracer_of(pid));
    }
    return 0;
}
