/*
 * Compiled streams against the interpreter: any words, and each workload, by each instruction set
 * that this processor has. VTPU_STREAMS says how many random streams (20,000; 100,000 take a minute
 * without optimisation).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/lab/lab_impl.h"
#include "support/skip.h"
#include "vtpu/interpret.h"
#include "vtpu/stream.h"
#include "support/test.h"

static void check_both(enum vtpu_target target, const struct siw *words, size_t n, size_t times,
                       uint64_t seed)
{
    struct vtpu_state a, b;
    struct vtpu_native code;
    struct native native;
    struct error err = ERROR_INIT;
    vtpu_state_open(&a, seed);
    vtpu_state_open(&b, seed);
    vtpu_compile(target, words, n, &code);
    assert_int_equal(native_load(&native, &code, &err), 0);
    free(code.bytes);
    struct vtpu_program *p = vtpu_program_new(words, n);
    vtpu_interpret(&a, p, times);
    vtpu_program_free(p);
    native.run(&b, times);
    const char *what = vtpu_state_difference(&a, &b);
    if (what)
        fail_msg("%s, seed %llu: %s differ", vtpu_target_name(target), (unsigned long long)seed,
                 what);
    native_unload(&native);
    vtpu_state_close(&a);
    vtpu_state_close(&b);
}

static unsigned long streams(void)
{
    const char *wish = getenv("VTPU_STREAMS");
    return wish ? strtoul(wish, NULL, 10) : 50000;
}

/* The next target of this processor from this one on; VTPU_TARGETS: there is none. */
static int target_from(int target)
{
    while (target < VTPU_TARGETS && !vtpu_target_runs((enum vtpu_target)target))
        target++;
    return target;
}

static int first_target(void)
{
    if (target_from(0) == VTPU_TARGETS)
        skip_because("the compiler has no templates for this processor");
    return target_from(0);
}

TEST(random_streams_are_what_the_interpreter_does)
{
    enum { WORDS = 48 };
    struct siw words[WORDS];
    unsigned long n = streams();
    for (int target = first_target(); target < VTPU_TARGETS; target = target_from(target + 1))
        for (unsigned long seed = 0; seed < n; seed++) {
            vtpu_stream_any(words, WORDS, seed);
            check_both(target, words, 1 + seed % WORDS, 1 + seed % 3, seed);
        }
}

/* Streams of one op with all registers used alike: none, some and all operands have a home. */
TEST(every_op_works_with_every_place_of_its_operands)
{
    struct siw words[64];
    for (int target = first_target(); target < VTPU_TARGETS; target = target_from(target + 1))
        for (unsigned code = 0; code < VTPU_CODES; code++)
            for (uint64_t seed = 0; seed < 20; seed++) {
                vtpu_stream_any(words, 64, seed);
                for (int i = 0; i < 64; i++)
                    if (i % 4)
                        words[i].slot[vtpu_ops[code].pipe].code = (uint8_t)code;
                for (int i = 0; i < 64; i++)
                    siw_normalise(&words[i]);
                check_both(target, words, 64, 2, seed);
            }
}

TEST(workloads_and_loops_are_what_the_interpreter_does)
{
    static struct siw words[1000];
    static const size_t lengths[] = {1, 31, 32, 33, 64, 127, 128, 129, 480, 961, 1000};
    for (int target = first_target(); target < VTPU_TARGETS; target = target_from(target + 1))
        for (size_t k = 0; k < vtpu_nworkloads; k++)
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                vtpu_stream(&vtpu_workloads[k], words, lengths[i], k);
                check_both(target, words, lengths[i], 1 + i % 3, k);
            }
}
