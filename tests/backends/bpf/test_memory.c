/*
 * Memory behind arguments as BPF programs keep it, at the entry or, of tasks whose memory nobody
 * else has, at the return: the text is that of ptrace, which reads it while the task is stopped.
 * Forks: not for TSan.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/syscalls/decode/decode.h"
#include "engine/syscalls/tracer.h"
#include "support/skip.h"
#include "support/test.h"

extern const struct tracer_ops tracer_bpf, tracer_ptrace;

#if defined(__x86_64__)

/* --- the traced program --- */

static char room[8192] __attribute__((aligned(4096)));
static char folder[64], first_pipe[96], second_pipe[96], told[96];

static char *at(size_t offset, const char *text)
{
    return strcpy(room + offset, text);
}

/* Results that are written over the path, before it, behind it, and far from it. */
static void write_over_paths(void)
{
    static const int distances[] = {0, 1, 8, -8, -100, 200, 4000};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        char *path = at(2048, "/");
        syscall(SYS_stat, path, path + distances[i]);
        path = at(2048, "/proc/self/cwd");
        syscall(SYS_readlink, path, path + distances[i], 32);
    }
    static char far[65536];
    syscall(SYS_stat, at(0, "/"), far + 60000);
}

/* Paths of many lengths, at the end of the memory, and no paths at all. */
static void name_many_paths(void)
{
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + 4096, 4096);
    for (size_t n = 1; n < 130; n++) {
        memset(room, 'a', n);
        room[n] = '\0';
        syscall(SYS_access, room, R_OK);
        memcpy(pages + 4095 - n, room, n + 1);
        syscall(SYS_access, pages + 4095 - n, R_OK);
        syscall(SYS_access, pages + 4096 - n, R_OK); /* its end is missing */
    }
    memset(room, 'b', sizeof room - 1);
    syscall(SYS_access, room, R_OK);
    syscall(SYS_access, (char *)16, R_OK);
    syscall(SYS_access, NULL, R_OK);
    syscall(SYS_rename, at(0, "/one"), at(100, "/one/other/that/is/not/there/and/has/a/long/name"));
}

static void lock(void)
{
    struct flock l = {.l_type = F_WRLCK, .l_start = 7, .l_len = 9};
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    syscall(SYS_fcntl, fd, F_GETLK, &l);
    l.l_type = F_RDLCK;
    syscall(SYS_fcntl, fd, F_SETLK, &l);
    syscall(SYS_fcntl, fd, F_SETLK, 16);
    syscall(SYS_fcntl, fd, F_GETFD, 0);
    close(fd);
}

static pid_t opener;

static void *wait_for_writer(void *path)
{
    __atomic_store_n(&opener, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
    const long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
    close((int)fd);
    return NULL;
}

/* Whether the thread that opens the pipe waits in the kernel. Asks by calls that are not compared.
 */
static bool sleeps(void)
{
    char name[64], text[512] = "";
    snprintf(name, sizeof name, "/proc/self/task/%d/stat",
             (int)__atomic_load_n(&opener, __ATOMIC_SEQ_CST));
    const int fd = (int)syscall(SYS_open, name, O_RDONLY);
    const bool known = fd >= 0 && read(fd, text, sizeof text - 1) > 0;
    close(fd);
    return known && strstr(text, ") S ") != NULL;
}

/* Another thread changes the path while the call lasts. */
static void change_path(void)
{
    pthread_t thread;
    char *path = at(0, first_pipe);
    pthread_create(&thread, NULL, wait_for_writer, path);
    while (!sleeps())
        usleep(1000);
    strcpy(path, "/changed");
    close((int)syscall(SYS_open, first_pipe, O_WRONLY));
    pthread_join(thread, NULL);
}

/* A process waits for another one in a call, until the tracer has told of its entry. */
static void wait_long(void)
{
    const pid_t pid = fork();
    if (pid == 0) {
        wait_for_writer(at(0, second_pipe));
        _exit(0);
    }
    while (syscall(SYS_faccessat, AT_FDCWD, told, R_OK) != 0)
        usleep(10000);
    close((int)syscall(SYS_open, second_pipe, O_WRONLY));
    waitpid(pid, NULL, 0);
}

static int be_traced(const char *where)
{
    snprintf(folder, sizeof folder, "%s", where);
    snprintf(first_pipe, sizeof first_pipe, "%s/first", folder);
    snprintf(second_pipe, sizeof second_pipe, "%s/second", folder);
    snprintf(told, sizeof told, "%s/told", folder);
    syscall(SYS_access, "/begin", R_OK);
    write_over_paths();
    name_many_paths();
    lock();
    wait_long();
    change_path();
    return 0;
}

/* --- its traces --- */

struct text {
    FILE *file;
    char *bytes;
    size_t n;
    bool begun;
    unsigned waiting; /* entries of a call that waits for the second pipe */
};

static bool is_compared(uint32_t number)
{
    return number == SYS_access || number == SYS_stat || number == SYS_readlink ||
           number == SYS_fcntl || number == SYS_openat || number == SYS_rename;
}

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct text *t = ctx;
    char line[65536] = "";
    if ((e->kind != SYSCALL_CALL && e->kind != SYSCALL_ENTRY) || !is_compared(e->number))
        return;
    FILE *f = fmemopen(line, sizeof line - 1, "w");
    assert_non_null(f);
    syscall_write(f, e, NULL);
    fclose(f);
    if (e->kind == SYSCALL_ENTRY && strstr(line, second_pipe) && t->waiting++ == 0)
        close(open(told, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    if (e->kind == SYSCALL_ENTRY)
        return;
    t->begun = t->begun || strstr(line, "/begin");
    for (char *c = line; t->begun && *c; c++) { /* addresses differ from run to run */
        const bool address = c[0] == '0' && c[1] == 'x';
        fputc(*c, t->file);
        for (c += address; address && strchr("0123456789abcdef", c[1]) && c[1];)
            c++;
    }
    if (t->begun)
        fputc('\n', t->file);
}

static void trace(struct text *t, const struct tracer_ops *ops)
{
    char *argv[] = {(char *)"/proc/self/exe", (char *)"be-traced", folder, NULL};
    const struct tracer_setup setup = {
        .argv = argv, .follow = true, .same_cpu = true, .string_limit = 32};
    const struct syscall_sink sink = {.event = on_event, .ctx = t, .entries = true};
    struct tracer_result result;
    struct error err = ERROR_INIT;
    *t = (struct text){0};
    t->file = open_memstream(&t->bytes, &t->n);
    assert_non_null(t->file);
    assert_int_equal(mkfifo(first_pipe, 0600), 0);
    assert_int_equal(mkfifo(second_pipe, 0600), 0);
    assert_int_equal(ops->run(&setup, &sink, &result, &err), 0);
    fclose(t->file);
    unlink(first_pipe);
    unlink(second_pipe);
    unlink(told);
    assert_int_equal(result.status, 0);
    if (result.lost)
        skip_because("all calls are reported: %llu were lost, as was said",
                     (unsigned long long)result.lost);
}

TEST(memory_is_that_of_the_entry)
{
    struct tracer_state here;
    struct text theirs, ours;
    tracer_bpf.probe(&here);
    if (!here.works)
        skip_because("tracing by BPF: %s; %s", here.why, here.enable);
    tracer_ptrace.probe(&here);
    if (!here.works)
        skip_because("tracing by ptrace: %s; %s", here.why, here.enable);
    strcpy(folder, "/tmp/rooftop-memory-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(first_pipe, sizeof first_pipe, "%s/first", folder);
    snprintf(second_pipe, sizeof second_pipe, "%s/second", folder);
    snprintf(told, sizeof told, "%s/told", folder);
    trace(&theirs, &tracer_ptrace);
    trace(&ours, &tracer_bpf);
    rmdir(folder);
    assert_non_null(strstr(theirs.bytes, first_pipe));
    assert_null(strstr(theirs.bytes, "/changed"));
    assert_string_equal(ours.bytes, theirs.bytes);
    assert_true(ours.waiting > 0); /* the path is read while the call waits */
    free(theirs.bytes);
    free(ours.bytes);
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "be-traced") == 0)
        return be_traced(argv[2]);
    /* A traced program's leaks are not looked for, as under the mechanisms that stop it. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    return tests_run(NULL, NULL);
}
#else
TEST(is_not_here)
{
    skip_because("memory kept by BPF: only on x86-64");
}
#endif
