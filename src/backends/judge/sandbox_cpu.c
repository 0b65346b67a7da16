/*
 * The most that one instruction of this CPU does. Where a manual leaves a doubt the larger number
 * stands here: less work than an honest candidate needs must never be asked of it.
 */
#include <stdio.h>

#include "backends/judge/judge_impl.h"

#if defined(__x86_64__)
#include <cpuid.h>

enum {
    AVX = 1 << 28,          /* leaf 1, ecx */
    AVX512F = 1 << 16,      /* leaf 7, ebx */
    AVX512_4FMAPS = 1 << 3, /* leaf 7, edx */
    AVX512_FP16 = 1 << 23,
    AVX512_BF16 = 1 << 5, /* leaf 7.1, eax */
};

/* Operations are counted on vectors of 32-bit floats, where FMA counts 2; with 16-bit floats they
 * are twice as many. Tiles (AMX) do not count: they need a system call that a sandbox may not make.
 */
void sandbox_instruction(struct judge_instruction *out)
{
    unsigned a = 0, b = 0, c = 0, d = 0, b7 = 0, d7 = 0, a71 = 0;
    __get_cpuid(1, &a, &b, &c, &d);
    const unsigned c1 = c;
    __get_cpuid_count(7, 0, &a, &b7, &c, &d7);
    __get_cpuid_count(7, 1, &a71, &b, &c, &d);
    *out = (struct judge_instruction){.operations = 8, .name = "SSE"};
    if (c1 & AVX)
        *out = (struct judge_instruction){.operations = 16, .name = "AVX"};
    if (b7 & AVX512F)
        *out = (struct judge_instruction){.operations = 32, .name = "AVX-512"};
    if ((b7 & AVX512F) && ((d7 & AVX512_FP16) || (a71 & AVX512_BF16)))
        *out = (struct judge_instruction){.operations = 64, .name = "AVX-512 with 16-bit floats"};
    if (d7 & AVX512_4FMAPS)
        *out = (struct judge_instruction){.operations = 128, .name = "AVX-512 with 4FMAPS"};
    out->no_stores = "rep movs and rep stos store any number of bytes";
}

#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>

/* Bits of AT_HWCAP and AT_HWCAP2, which older headers lack. */
static const unsigned long SVE = 1UL << 22, F32MM = 1UL << 10, BF16 = 1UL << 14, SME = 1UL << 23,
                           MOPS = 1UL << 43, FP8 = 1UL << 48;
#ifndef PR_SVE_GET_VL
#define PR_SVE_GET_VL 51
#endif
enum { NEON_BYTES = 16, REGISTERS = 4, SVE_LENGTH = 0xffff };

/* The size of the block that one `dc zva` sets to zero; 0: the instruction is not allowed. */
static double zeroed_bytes(void)
{
    unsigned long id;
    __asm__("mrs %0, dczid_el0" : "=r"(id));
    return (id & 16) ? 0 : (double)(4u << (id & 15));
}

/* Operations are counted for each byte of a vector: 1 with 16-bit floats (each is two bytes, and
 * FMA counts 2), 2 with products of matrices of bfloat16, 4 with 8-bit floats. One instruction
 * stores at most four vectors. */
void sandbox_instruction(struct judge_instruction *out)
{
    const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
    const int length = (first & SVE) ? prctl(PR_SVE_GET_VL) : 0;
    const double vector = length > 0 ? (double)(length & SVE_LENGTH) : NEON_BYTES;
    int each = (second & (BF16 | F32MM)) ? 2 : 1;
    if (second & FP8)
        each = 4;
    *out = (struct judge_instruction){.operations = vector * each,
                                      .stored = vector * REGISTERS,
                                      .name = length > 0 ? "SVE" : "NEON"};
    if (zeroed_bytes() > out->stored)
        out->stored = zeroed_bytes();
    if (second & SME) {
        out->operations = 0;
        out->no_operations = "SME multiplies tiles";
    }
    if (second & MOPS) {
        out->stored = 0;
        out->no_stores = "this CPU copies and sets any number of bytes by one instruction";
    }
}
#endif
