/*
 * Compiles a stream to native code: instructions for each op, with the most used registers of the
 * vTPU in registers of the host. The code executes every op, in order, in each pass; only its
 * operands are fixed. The caller puts the bytes into executable memory.
 */
#pragma once

#include "vtpu/state.h"

enum vtpu_target {
    VTPU_TARGET_X86,            /* any x86-64 */
    VTPU_TARGET_X86_NO_VPMULLQ, /* AVX-512 F and VL: 32 vector registers, copied to general
                                   registers for multiplications */
    VTPU_TARGET_X86_AVX512,     /* with DQ too, which multiplies vectors of 64 bits */
    VTPU_TARGET_ARM64,
    VTPU_TARGETS
};

struct vtpu_native {
    uint8_t *bytes; /* free() */
    size_t n;
    size_t entry; /* offset of the vtpu_function */
    /* Begin and end of the loop over words that repeat, without its counter, and the words in one
     * pass. 0: there is no loop. */
    size_t loop, loop_end, loop_words;
};

/* Runs the words `times` times, at least once. */
typedef void vtpu_function(struct vtpu_state *s, uint64_t times);

/* n: at least 1. The code calls functions of this program, so it runs only in this process or a
 * copy that it forked. */
void vtpu_compile(enum vtpu_target target, const struct siw *words, size_t n,
                  struct vtpu_native *out);
/* Whether its code runs on this processor. If several targets do, measure which is the fastest. */
bool vtpu_target_runs(enum vtpu_target target);
/* "x86-64", "x86-64 with AVX-512 less vpmullq", "x86-64 with AVX-512", "arm64". */
const char *vtpu_target_name(enum vtpu_target target);
