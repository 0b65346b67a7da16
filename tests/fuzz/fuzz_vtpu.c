/* Any bytes as words of the vTPU: they become words that run, and compiled they do what the
 * interpreter does. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/lab/lab_impl.h"
#include "vtpu/interpret.h"
#include "vtpu/model.h"
#include "vtpu/stream.h"

enum { WORDS = 256 };

static void check(enum vtpu_target target, const struct siw *words, size_t n, size_t times)
{
    struct vtpu_state a, b;
    struct vtpu_native code;
    struct native native;
    vtpu_state_open(&a, n);
    vtpu_state_open(&b, n);
    struct vtpu_program *p = vtpu_program_new(words, n);
    vtpu_interpret(&a, p, times);
    vtpu_program_free(p);
    vtpu_compile(target, words, n, &code);
    if (native_load(&native, &code, NULL))
        abort();
    native.run(&b, times);
    if (vtpu_state_difference(&a, &b))
        abort();
    native_unload(&native);
    free(code.bytes);
    vtpu_state_close(&a);
    vtpu_state_close(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct siw words[WORDS];
    struct vtpu_prediction p;
    size_t n = size / sizeof *words;
    if (n > WORDS)
        n = WORDS;
    if (n == 0)
        return 0;
    memcpy(words, data, n * sizeof *words);
    for (size_t i = 0; i < n; i++)
        siw_normalise(&words[i]);
    vtpu_predict(words, n, &p);
    if (p.cycles < (double)n || p.fill > 3)
        abort();
    size_t times = 1 + data[size - 1] % 4;
    for (int target = 0; target < VTPU_TARGETS; target++)
        if (vtpu_target_runs((enum vtpu_target)target))
            check((enum vtpu_target)target, words, n, times);
    return 0;
}
