/*
 * Damaged files of instrumented programs: a complete file is made once; the input changes it in
 * places (offset, length, bytes) and says how often it is read.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "engine/graph/graph.h"
#include "rooftop/brick.h"

enum { SIZE = 2 << 20, NAME = 64 };
static char whole[SIZE];
static char path[NAME];

/* Records every kind of thing on two threads. */
static void record(void)
{
    uint32_t shape[3] = {2, 3, 4};
    rooftop_timer t = rooftop_start(rooftop_backend("avx2", 1e9, 1e9, "fuzz"));
    for (uint32_t i = 0; i < 40; i++) {
        rooftop_timer layer = rooftop_start(rooftop_layer(i));
        rooftop_timer brick = rooftop_start(i % ROOFTOP_BRICK_COUNT);
        rooftop_stop(rooftop_start(rooftop_kernel("k", i, shape, shape, i)), i);
        rooftop_stop_work(brick, i, i, i);
        rooftop_depends(brick.span, layer.span);
        rooftop_stop(layer, 0);
    }
    rooftop_span(rooftop_transfer(ROOFTOP_HOST_TO_DEVICE, "a", "b"), 1, 2, 0, 3, 0);
    rooftop_span(rooftop_function("f", "f.c", 3), 1, 2, 0, 0, 0);
    rooftop_stop(t, 0);
    rooftop_code(ROOFTOP_PTX, "k", "k.ptx", "text", 4);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    setenv("ROOFTOP_BRICKS", "/tmp", 1);
    setenv("ROOFTOP_BRICKS_MIB", "2", 1);
    record();
    int fd = open(rooftop_path(), O_RDONLY);
    if (fd < 0 || read(fd, whole, SIZE) != SIZE)
        abort();
    close(fd);
    unlink(rooftop_path());
    return 0;
}

static int damaged(const uint8_t *data, size_t size)
{
    static char copy[SIZE];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    memcpy(copy, whole, SIZE);
    for (size_t i = 0; i + 4 <= size;) {
        uint32_t at =
            ((uint32_t)data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16);
        size_t n = data[i + 3] & 15;
        n = n < size - i - 4 ? n : size - i - 4;
        at %= SIZE - 16;
        memcpy(copy + at, data + i + 4, n);
        i += 4 + n;
    }
    size_t length = size && data[0] == 0xff ? (size_t)data[size - 1] * (SIZE / 256) : SIZE;
    if (write(fd, copy, length) != (ssize_t)length)
        abort();
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    struct programs p = {0};
    struct arena memory = {0};
    struct brick_reader *r;
    int fd = damaged(data, size);
    if (brick_reader_open_fd(&r, dup(fd), "fuzz", &err) == 0) {
        struct brick_calls calls = {.graph = graph_new()};
        size_t n;
        uint32_t kind;
        const char *from;
        brick_reader_poll(r, &err);
        brick_reader_poll(r, &err);
        brick_graph_calls(&calls, r, "fuzz", 1, 0, UINT64_MAX, 1000);
        graph_finish(calls.graph);
        brick_calls_free(&calls);
        free(brick_reader_code(r, UINT64_C(0xc9e3dbd3a1d5f7c4), &n, &kind, &from));
        brick_reader_close(r);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (programs_add_file(&p, path, &err) == 0 && p.n) {
        struct bricks b;
        programs_poll(&p);
        bricks_fill(&b, &memory, &p, 1, NULL);
        graph_unref(b.tree);
    }
    programs_close(&p);
    arena_free(&memory);
    close(fd);
    return 0;
}
