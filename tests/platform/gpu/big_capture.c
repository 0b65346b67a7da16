// big_capture FOLDER MIB [zstd]: makes a capture with that much device memory, half of it noise, of
// a kernel that writes one word. It serves to measure restores.
#include "support/make_capture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *folder, *encoding;
static size_t size;

static void make(void **state)
{
    static struct gpu gpu;
    static struct captured c;
    (void)state;
    gpu_open(&gpu);
    c.folder = folder;
    c.zstd = encoding && strcmp(encoding, "zstd") == 0;
    c.launch = one_dimension("memory", "poke", 2, 1, 1);
    uint64_t *memory = malloc(size), x = 88172645463325252u;
    assert_non_null(memory);
    for (size_t i = 0; i < size / sizeof x; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        memory[i] = i / 512 % 2 ? x : i;
    }
    void *device = gpu_allocate(&gpu, size);
    for (size_t at = 0; at < size; at += 1 << 20)
        HSA(hsa_memory_copy((uint8_t *)device + at, (uint8_t *)memory + at, 1 << 20));
    captured_add(&c, device, size, false);
    ARGUMENT(&c.arguments, void *, device);
    ARGUMENT(&c.arguments, uint32_t, 1);
    make_capture(&gpu, &c);
    free(memory);
    gpu_close(&gpu);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(make)};
    if (argc < 3 || atol(argv[2]) <= 0)
        return fprintf(stderr, "big_capture FOLDER MIB [zstd]\n"), 2;
    folder = argv[1];
    size = (size_t)atol(argv[2]) << 20;
    encoding = argv[3];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
