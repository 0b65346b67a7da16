/*
 * A file of bricks may be written by anybody who has a process: it must not take the memory or the
 * time of who reads it, who may be root.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/test.h"

/* A file of one brick, made by the library. */
static int make_file(char path[256])
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        rooftop_stop(rooftop_start(rooftop_brick("One")), 1);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    snprintf(path, 256, "%s/rooftop-%d-0.bricks", getenv("ROOFTOP_BRICKS"), (int)pid);
    const int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    return fd;
}

/* It says that each of the most threads has the most nodes; all of them are the same hole. */
TEST(a_sparse_file_takes_little_memory)
{
    enum { REGION = 64 << 20, RING = REGION + (1 << 20), CHUNK = RING + (1 << 20) };
    enum { SIZE = 512 << 20, NEW_MIB = 1024 };
    static uint64_t threads[BRICK_THREADS];
    char path[256];
    struct brick_header h;
    struct brick_thread t = {.nnodes = BRICK_NODES, .ring = RING, .ring_size = 1024};
    const int fd = make_file(path);
    assert_int_equal(pread(fd, &h, sizeof h, 0), sizeof h);
    assert_int_equal(ftruncate(fd, SIZE), 0);
    h.nthreads = BRICK_THREADS;
    for (int k = 0; k < BRICK_CHUNKS; k++)
        t.chunks[k] = CHUNK;
    for (int i = 0; i < BRICK_THREADS; i++)
        threads[i] = REGION;
    assert_int_equal(pwrite(fd, &t, sizeof t, REGION), sizeof t);
    assert_int_equal(pwrite(fd, threads, sizeof threads, (off_t)h.threads), sizeof threads);
    assert_int_equal(pwrite(fd, &h, sizeof h, 0), sizeof h);
    close(fd);
    struct brick_reader *r;
    struct error err = ERROR_INIT;
    struct rusage before, after;
    assert_int_equal(brick_reader_open(&r, path, &err), 0);
    getrusage(RUSAGE_SELF, &before);
    assert_int_not_equal(brick_reader_poll(r, &err), 0);
    getrusage(RUSAGE_SELF, &after);
    assert_non_null(strstr(err.why, "nodes of a thread"));
    assert_true(after.ru_maxrss - before.ru_maxrss < NEW_MIB * 1024L);
    brick_reader_close(r);
}

BRICK_FOLDER_MAIN
