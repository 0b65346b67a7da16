/* Run by test_arm64.c: compiled streams against the interpreter, on arm64. Prints what differs. */
#include <stdio.h>
#include <stdlib.h>

#include "backends/lab/lab_impl.h"
#include "vtpu/interpret.h"
#include "vtpu/stream.h"

static int differs(const struct siw *words, size_t n, size_t times, uint64_t seed)
{
    struct vtpu_state a, b;
    struct vtpu_native code;
    struct native native;
    vtpu_state_open(&a, seed);
    vtpu_state_open(&b, seed);
    vtpu_compile(VTPU_TARGET_ARM64, words, n, &code);
    if (native_load(&native, &code, NULL))
        return printf("no executable memory\n");
    struct vtpu_program *p = vtpu_program_new(words, n);
    vtpu_interpret(&a, p, times);
    vtpu_program_free(p);
    native.run(&b, times);
    const char *what = vtpu_state_difference(&a, &b);
    if (what)
        printf("seed %llu: %s differ\n", (unsigned long long)seed, what);
    native_unload(&native);
    free(code.bytes);
    vtpu_state_close(&a);
    vtpu_state_close(&b);
    return what != NULL;
}

int main(int argc, char **argv)
{
    static struct siw words[1000];
    unsigned long streams = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    int bad = 0;
    for (unsigned long seed = 0; seed < streams && !bad; seed++) {
        vtpu_stream_any(words, 48, seed);
        bad = differs(words, 1 + seed % 48, 1 + seed % 3, seed);
    }
    for (size_t k = 0; k < vtpu_nworkloads && !bad; k++)
        for (size_t n = 31; n <= 1000 && !bad; n = n * 2 + 1) {
            vtpu_stream(&vtpu_workloads[k], words, n, k);
            bad = differs(words, n, 2, k);
        }
    printf(bad ? "differs\n" : "equal\n");
    return bad;
}
