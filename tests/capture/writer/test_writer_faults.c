/* A writer in trouble: a full disk, limits, folders that it does not own; and what it must not do
 * to the program it runs in. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"
#include "capture/writer/writer.h"
#include "format/capture.h"
#include "support/skip.h"

enum { BYTES = 3 * CAPTURE_BLOCK };

static uint8_t *memory;
static char dir[64], folder[80];
static _Atomic int signals_open; /* number of threads that could have received a signal */

static int read_memory(void *ctx, void *to, uint64_t address, size_t size, char *why,
                       size_t why_size)
{
    sigset_t mask;
    (void)ctx;
    (void)why;
    (void)why_size;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    if (!sigismember(&mask, SIGUSR1) || !sigismember(&mask, SIGALRM) ||
        !sigismember(&mask, SIGXFSZ))
        signals_open++;
    memcpy(to, memory + address, size);
    return 0;
}

FIXTURE_STATUS(make)
{
    uint32_t seed = 1;
    snprintf(dir, sizeof dir, "/tmp/rooftop-writer-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    snprintf(folder, sizeof folder, "%s/c", dir);
    memory = malloc(BYTES);
    for (size_t i = 0; memory && i < BYTES; i++)
        memory[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
    return memory ? 0 : -1;
}

FIXTURE_STATUS(take_away)
{
    free(memory);
    return rmdir(dir);
}

static struct capture_writer *writer(int threads)
{
    char why[256];
    struct capture_writer *w = writer_open(folder, threads, why, sizeof why);
    if (!w)
        fail_msg("%s", why);
    return w;
}

static bool there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static int write_all(struct capture_writer *w, struct writer_region r[2])
{
    r[0] = (struct writer_region){.base = 0, .size = BYTES - 4096, .segment = "device"};
    r[1] = (struct writer_region){.base = BYTES - 4096, .size = 4096, .segment = "device"};
    return writer_before(w, r, 2, read_memory, NULL, NULL);
}

TEST(a_writer_that_is_given_up_leaves_nothing)
{
    struct writer_region r[2];
    struct capture_writer *w = writer(2);
    assert_int_equal(write_all(w, r), 0);
    assert_int_equal(writer_after(w, r, 2, read_memory, NULL, NULL), 0);
    assert_int_equal(writer_code(w, "1", 1, "2", 1), 0);
    assert_true(there(folder));
    writer_close(w);
    assert_false(there(folder));
    /* an existing folder is left alone */
    assert_int_equal(mkdir(folder, 0755), 0);
    w = writer(1);
    assert_int_equal(write_all(w, r), 0);
    writer_close(w);
    assert_int_equal(rmdir(folder), 0);
    writer_close(NULL);
}

TEST(folders_that_will_not_do_are_refused)
{
    char why[256], file[128];
    assert_int_equal(mkdir(folder, 0755), 0);
    snprintf(file, sizeof file, "%s/mine", folder);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fclose(f);
    assert_null(writer_open(folder, 2, why, sizeof why));
    assert_non_null(strstr(why, "Directory not empty"));
    assert_true(there(file));
    assert_null(writer_open(file, 2, why, sizeof why));
    assert_non_null(strstr(why, "Not a directory"));
    assert_null(writer_open("/no/such/folder", 2, why, sizeof why));
    assert_non_null(strstr(why, "No such file or directory"));
    unlink(file);
    assert_int_equal(rmdir(folder), 0);
}

/* A limit on file sizes sends SIGXFSZ, which would end the program. */
TEST(a_limit_of_file_sizes_is_survived)
{
    struct rlimit before, small;
    struct writer_region r[2];
    sigset_t pending;
    for (int e = WRITER_RAW; e <= WRITER_ZSTD; e++) {
        struct capture_writer *w = writer(3);
        writer_force(w, (enum writer_encoding)e);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
        small = before;
        small.rlim_cur = 5 << 20;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        int rc = write_all(w, r);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(rc, EFBIG);
        assert_non_null(strstr(writer_why(w), "memory/region_0.bin"));
        assert_non_null(strstr(writer_why(w), "File too large"));
        /* the writer remembers the failure */
        assert_int_equal(writer_code(w, "1", 1, "2", 1), EFBIG);
        writer_close(w);
        assert_false(there(folder));
        assert_int_equal(sigpending(&pending), 0);
        assert_false(sigismember(&pending, SIGXFSZ));
    }
}

static bool same_file(const char *name, const char *as)
{
    char line[400];
    snprintf(line, sizeof line, "cmp -s %s/%s %s/%s.%s", folder, name, dir, name, as);
    return system(line) == 0; /* NOLINT: fixed names below a folder made here */
}

/* If there is no room for memory after the kernel, the capture stays as complete as it was: no
 * half of that memory is left, and the documents do not mention it. */
TEST(a_complete_capture_stays_complete)
{
    static const char *const documents[] = {CAPTURE_DISPATCH, CAPTURE_REGIONS, CAPTURE_COMPLETE};
    const struct writer_dispatch d = {.mangled_name = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct rlimit before, small;
    struct writer_region r[2];
    char line[400], after[128];
    snprintf(after, sizeof after, "%s/" CAPTURE_AFTER, folder);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int late = 0; late < 2;
         late++) { /* the disk is full for the memory, then for the documents */
        struct capture_writer *w = writer(2);
        writer_force(w, WRITER_RAW);
        assert_int_equal(write_all(w, r), 0);
        assert_int_equal(writer_code(w, "1", 1, "2", 1), 0);
        assert_int_equal(writer_finish(w, &d, r, 2, NULL, 0), 0);
        for (int i = 0; i < 3; i++) {
            snprintf(line, sizeof line, "cp %s/%s %s/%s.first", folder, documents[i], dir,
                     documents[i]);
            assert_int_equal(system(line), 0); /* NOLINT: as above */
        }
        memory[7] ^= 1;
        small = before;
        small.rlim_cur = late ? 64 : 1 << 20;
        if (late)
            assert_int_equal(writer_after(w, r, 2, read_memory, NULL, NULL), 0);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        const int rc = late ? writer_finish(w, &d, r, 2, NULL, 0)
                            : writer_after(w, r, 2, read_memory, NULL, NULL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(rc, EFBIG);
        writer_close(w);
        assert_false(there(after));
        for (int i = 0; i < 3; i++)
            assert_true(same_file(documents[i], "first"));
        snprintf(line, sizeof line, "ls %s/*.new 2>/dev/null; rm -r %s %s/*.first", folder, folder,
                 dir);
        assert_int_equal(system(line), 0); /* NOLINT: as above */
    }
}

enum { CHILD_OK, CHILD_WRONG, CHILD_NO_MOUNT };

/* Runs in a child process with a file system of its own. */
static int on_a_full_disk(void)
{
    struct writer_region r[2];
    char why[256], inner[128];
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return CHILD_NO_MOUNT;
    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    if (mount("none", dir, "tmpfs", 0, "size=6m") != 0)
        return CHILD_NO_MOUNT;
    for (int e = WRITER_RAW; e <= WRITER_ZSTD; e++) {
        snprintf(inner, sizeof inner, "%s/full", dir);
        struct capture_writer *w = writer_open(inner, 2, why, sizeof why);
        if (!w)
            return CHILD_WRONG;
        writer_force(w, (enum writer_encoding)e);
        int rc = write_all(w, r);
        bool told = strstr(writer_why(w), "No space left on device") != NULL;
        writer_close(w);
        if (rc != ENOSPC || !told || there(inner))
            return CHILD_WRONG;
    }
    return CHILD_OK;
}

TEST(a_full_disk_is_told_and_nothing_is_left)
{
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(on_a_full_disk());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CHILD_NO_MOUNT)
        skip_because("no file system can be mounted here");
    assert_int_equal(WEXITSTATUS(status), CHILD_OK);
}

/* --- what it does not do to the program --- */

TEST(no_signal_is_taken)
{
    struct writer_region r[2];
    sigset_t before, after;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    struct capture_writer *w = writer(4);
    signals_open = 0;
    assert_int_equal(write_all(w, r), 0);
    writer_close(w);
    assert_int_equal(signals_open, 0);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    for (int s = 1; s < 32; s++)
        assert_int_equal(sigismember(&before, s), sigismember(&after, s));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static _Atomic int counting, allocations;

void *malloc(size_t n)
{
    allocations += counting;
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    allocations += counting;
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    allocations += counting;
    return __libc_realloc(p, n);
}

TEST(the_programs_malloc_is_left_alone)
{
    struct writer_region r[2];
    struct writer_variable v = {.name = "v", .address = 5, .size = 100};
    const struct writer_dispatch d = {.mangled_name = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    for (int e = WRITER_FASTEST; e <= WRITER_ZSTD; e++) {
        struct capture_writer *w = writer(3);
        writer_force(w, (enum writer_encoding)e);
        allocations = 0;
        counting = 1;
        int rc = write_all(w, r);
        memory[7] ^= 1;
        rc |= writer_variables(w, &v, 1, read_memory, NULL);
        rc |= writer_after(w, r, 2, read_memory, NULL, NULL);
        rc |= writer_code(w, "1", 1, "2", 1);
        rc |= writer_finish(w, &d, r, 2, &v, 1);
        counting = 0;
        writer_close(w);
        assert_int_equal(rc, 0);
        assert_int_equal(allocations, 0);
        free(malloc(1)); /* the counting itself must work */
        counting = 1;
        char *volatile p = malloc(1);
        counting = 0;
        free(p);
        assert_int_equal(allocations, 1);
        char line[128];
        snprintf(line, sizeof line, "rm -r %s", folder);
        assert_int_equal(system(line), 0); /* NOLINT: a fixed line over a name made here */
    }
}
#else
TEST(the_programs_malloc_is_left_alone)
{
    skip_because("malloc is the sanitizer's");
}
#endif

TEST_MAIN(make, take_away)
