typedef int loops_arm64_are_here; /* ISO C forbids an empty file */
#ifdef __aarch64__
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "backends/roofs/roofs_impl.h"

/* Bits of AT_HWCAP and AT_HWCAP2. Source: linux arch/arm64/include/uapi/asm/hwcap.h */
#define CAP_ASIMDHP  (1UL << 10)
#define CAP_ASIMDDP  (1UL << 20)
#define CAP_SVE      (1UL << 22)
#define CAP2_SVEI8MM (1UL << 9)
#define CAP2_SVEBF16 (1UL << 12)
#define CAP2_I8MM    (1UL << 13)
#define CAP2_BF16    (1UL << 14)

#define ALL_REGISTERS                                                                              \
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", \
        "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v30", "v31"

#ifdef __clang__
#define TARGET(gnu, llvm) __attribute__((target(llvm)))
#else
#define TARGET(gnu, llvm) __attribute__((target(gnu)))
#endif
#define LOOP(function, text)                                                                       \
    __attribute__((noinline)) static void function(uint64_t n)                                     \
    {                                                                                              \
        __asm__ volatile("movi v30.4s, #0\n\tmovi v31.4s, #0\n\t"                                  \
                         ".p2align 5\n1:\n\t" text "subs %0, %0, #1\n\tb.ne 1b\n\t"                \
                         : "+r"(n)                                                                 \
                         :                                                                         \
                         : "cc", "memory", ALL_REGISTERS);                                         \
    }
/* Twenty-four accumulators: more than four pipes of latency four need. */
#define EACH24(f)                                                                                  \
    f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16)    \
        f(17) f(18) f(19) f(20) f(21) f(22) f(23)

#define SCALAR_D(x) "fmadd d" #x ", d30, d31, d" #x "\n\t"
#define SCALAR_S(x) "fmadd s" #x ", s30, s31, s" #x "\n\t"
#define NEON_D(x)   "fmla v" #x ".2d, v30.2d, v31.2d\n\t"
#define NEON_S(x)   "fmla v" #x ".4s, v30.4s, v31.4s\n\t"
#define NEON_H(x)   "fmla v" #x ".8h, v30.8h, v31.8h\n\t"
#define DOT_I8(x)   "sdot v" #x ".4s, v30.16b, v31.16b\n\t"
#define MAT_I8(x)   "smmla v" #x ".4s, v30.16b, v31.16b\n\t"
#define MAT_BF16(x) "bfmmla v" #x ".4s, v30.8h, v31.8h\n\t"

LOOP(scalar_d, EACH24(SCALAR_D))
LOOP(scalar_s, EACH24(SCALAR_S))
LOOP(neon_d, EACH24(NEON_D))
LOOP(neon_s, EACH24(NEON_S))
TARGET("arch=armv8.2-a+fp16", "fullfp16")
LOOP(neon_h, EACH24(NEON_H))
TARGET("arch=armv8.2-a+dotprod", "dotprod")
LOOP(dot_i8, EACH24(DOT_I8))
TARGET("arch=armv8.2-a+i8mm", "i8mm")
LOOP(mat_i8, EACH24(MAT_I8))
TARGET("arch=armv8.2-a+bf16", "bf16")
LOOP(mat_bf16, EACH24(MAT_BF16))

/* SVE: vectors as long as this CPU's. */
#define SVE_LOOP(function, text)                                                                   \
    __attribute__((noinline)) static void function(uint64_t n)                                     \
    {                                                                                              \
        __asm__ volatile("ptrue p0.b\n\tmovi v30.4s, #0\n\tmovi v31.4s, #0\n\t"                    \
                         ".p2align 5\n1:\n\t" text "subs %0, %0, #1\n\tb.ne 1b\n\t"                \
                         : "+r"(n)                                                                 \
                         :                                                                         \
                         : "cc", "memory", "p0", ALL_REGISTERS);                                   \
    }
#define SVE_D(x)       "fmla z" #x ".d, p0/m, z30.d, z31.d\n\t"
#define SVE_S(x)       "fmla z" #x ".s, p0/m, z30.s, z31.s\n\t"
#define SVE_H(x)       "fmla z" #x ".h, p0/m, z30.h, z31.h\n\t"
#define SVE_DOT(x)     "sdot z" #x ".s, z30.b, z31.b\n\t"
#define SVE_MAT_I8(x)  "smmla z" #x ".s, z30.b, z31.b\n\t"
#define SVE_MAT_B16(x) "bfmmla z" #x ".s, z30.h, z31.h\n\t"
TARGET("arch=armv8.2-a+sve", "sve")
SVE_LOOP(sve_d, EACH24(SVE_D))
TARGET("arch=armv8.2-a+sve", "sve")
SVE_LOOP(sve_s, EACH24(SVE_S))
TARGET("arch=armv8.2-a+sve", "sve")
SVE_LOOP(sve_h, EACH24(SVE_H))
TARGET("arch=armv8.2-a+sve", "sve")
SVE_LOOP(sve_dot, EACH24(SVE_DOT))
TARGET("arch=armv8.2-a+sve+i8mm", "sve,i8mm")
SVE_LOOP(sve_mat_i8, EACH24(SVE_MAT_I8))
TARGET("arch=armv8.2-a+sve+bf16", "sve,bf16")
SVE_LOOP(sve_mat_bf16, EACH24(SVE_MAT_B16))

static bool is_always_supported(void)
{
    return true;
}

static bool has_neon_fp16(void)
{
    return getauxval(AT_HWCAP) & CAP_ASIMDHP;
}

static bool has_dot(void)
{
    return getauxval(AT_HWCAP) & CAP_ASIMDDP;
}

static bool has_i8mm(void)
{
    return getauxval(AT_HWCAP2) & CAP2_I8MM;
}

static bool has_bf16(void)
{
    return getauxval(AT_HWCAP2) & CAP2_BF16;
}

/* Bits of this process's SVE vectors; 0 without SVE. */
static unsigned sve_bits(void)
{
    int length = getauxval(AT_HWCAP) & CAP_SVE ? prctl(PR_SVE_GET_VL) : -1;
    return length < 0 ? 0 : 8 * (unsigned)(length & PR_SVE_VL_LEN_MASK);
}

#define SVE_OF(bits)                                                                               \
    static bool has_sve##bits(void)                                                                \
    {                                                                                              \
        return sve_bits() == (bits);                                                               \
    }                                                                                              \
    static bool has_sve_i8mm##bits(void)                                                           \
    {                                                                                              \
        return sve_bits() == (bits) && getauxval(AT_HWCAP2) & CAP2_SVEI8MM;                        \
    }                                                                                              \
    static bool has_sve_bf16##bits(void)                                                           \
    {                                                                                              \
        return sve_bits() == (bits) && getauxval(AT_HWCAP2) & CAP2_SVEBF16;                        \
    }
SVE_OF(128)
SVE_OF(256)
SVE_OF(512)

/* Rows for one length of vectors, because a CPU has only one. */
#define SVE_ROWS(bits)                                                                             \
    {"SVE FMA", "FP64", bits, 64, ROOF_FMA, FMA_N * (bits) / 64.0, sve_d, has_sve##bits},          \
        {"SVE FMA", "FP32", bits, 32, ROOF_FMA, FMA_N * (bits) / 32.0, sve_s, has_sve##bits},      \
        {"SVE FMA", "FP16", bits, 16, ROOF_FMA, FMA_N * (bits) / 16.0, sve_h, has_sve##bits},      \
        {"SVE dot", "INT8", bits, 0, ROOF_FMA, 24 * (bits) / 32.0 * 8, sve_dot, has_sve##bits},    \
        {"SVE matrix",      "INT8", bits, 0, ROOF_FMA, 24 * (bits) / 128.0 * 64, sve_mat_i8,       \
         has_sve_i8mm##bits},                                                                      \
    {                                                                                              \
        "SVE matrix", "BF16", bits, 0, ROOF_FMA, 24 * (bits) / 128.0 * 32, sve_mat_bf16,           \
            has_sve_bf16##bits                                                                     \
    }

enum { FMA_N = 24 * 2 };
const struct flop_loop flop_loops[] = {
    {"scalar FMA", "FP64", 0, 64, ROOF_FMA, FMA_N, scalar_d, is_always_supported},
    {"scalar FMA", "FP32", 0, 32, ROOF_FMA, FMA_N, scalar_s, is_always_supported},
    {"NEON FMA", "FP64", 128, 64, ROOF_FMA, FMA_N * 2, neon_d, is_always_supported},
    {"NEON FMA", "FP32", 128, 32, ROOF_FMA, FMA_N * 4, neon_s, is_always_supported},
    {"NEON FMA", "FP16", 128, 16, ROOF_FMA, FMA_N * 8, neon_h, has_neon_fp16},
    /* four multiply-adds in each 32 bits; 2x8 by 8x2; 2x4 by 4x2 */
    {"NEON dot", "INT8", 128, 0, ROOF_FMA, 24 * 8 * 4, dot_i8, has_dot},
    {"NEON matrix", "INT8", 128, 0, ROOF_FMA, 24 * 2 * 2 * 2 * 8, mat_i8, has_i8mm},
    {"NEON matrix", "BF16", 128, 0, ROOF_FMA, 24 * 2 * 2 * 2 * 4, mat_bf16, has_bf16},
    SVE_ROWS(128),
    SVE_ROWS(256),
    SVE_ROWS(512),
    {.name = NULL},
};

/* --- memory --- */

/* Registers begin as 0, so that the arrays are zeros for the next loop too. */
#define ZERO(r) "movi v" #r ".4s, #0\n\t"
#define ZEROS   ZERO(0) ZERO(1) ZERO(2) ZERO(3) ZERO(4) ZERO(5) ZERO(6) ZERO(7) ZERO(30)
#define STREAM(function, text)                                                                     \
    __attribute__((noinline)) static void function(char *a, const char *b, const char *c,          \
                                                   size_t bytes, uint64_t passes)                  \
    {                                                                                              \
        for (; passes; passes--) {                                                                 \
            char *x = a;                                                                           \
            const char *y = b, *z = c, *end = a + bytes;                                           \
            __asm__ volatile(ZEROS ".p2align 5\n1:\n\t" text                                       \
                                   "add %0, %0, #128\n\tadd %1, %1, #128\n\tadd %2, %2, #128\n\t"  \
                                   "cmp %0, %3\n\tb.lo 1b\n\t"                                     \
                             : "+r"(x), "+r"(y), "+r"(z)                                           \
                             : "r"(end)                                                            \
                             : "cc", "memory", ALL_REGISTERS);                                     \
        }                                                                                          \
    }
#define EACH4(f)       f("0", 0, 1) f("32", 2, 3) f("64", 4, 5) f("96", 6, 7)
#define LOAD(o, x, y)  "ldp q" #x ", q" #y ", [%0, #" o "]\n\t"
#define STORE(o, x, y) "stp q" #x ", q" #y ", [%0, #" o "]\n\t"
#define PAST(o, x, y)  "stnp q" #x ", q" #y ", [%0, #" o "]\n\t"
#define COPY(o, x, y)  "ldp q" #x ", q" #y ", [%1, #" o "]\n\tstp q" #x ", q" #y ", [%0, #" o "]\n\t"
#define TRIAD(o, x, y)                                                                             \
    "ldp q" #x ", q" #y ", [%1, #" o "]\n\tldp q20, q21, [%2, #" o "]\n\t"                         \
    "fmla v" #x ".2d, v20.2d, v30.2d\n\tfmla v" #y ".2d, v21.2d, v30.2d\n\t"                       \
    "stp q" #x ", q" #y ", [%0, #" o "]\n\t"

STREAM(load, EACH4(LOAD))
STREAM(store, EACH4(STORE))
STREAM(copy, EACH4(COPY))
STREAM(triad, EACH4(TRIAD))
STREAM(past, EACH4(PAST))

const struct stream_loop stream_loops[] = {
    {"load", 128, 1, 1, false, load, is_always_supported},
    {"store", 128, 1, 1, false, store, is_always_supported},
    {"copy", 128, 2, 2, false, copy, is_always_supported},
    {"triad", 128, 3, 3, false, triad, is_always_supported},
    {"store past caches", 128, 1, 1, true, past, is_always_supported},
    {.name = NULL},
};

#define ADD8                                                                                       \
    "add %1,%1,%2\n\tadd %1,%1,%2\n\tadd %1,%1,%2\n\tadd %1,%1,%2\n\tadd %1,%1,%2\n\tadd "         \
    "%1,%1,%2\n\tadd %1,%1,%2\n\tadd %1,%1,%2\n\t"
void clock_loop(uint64_t n)
{
    uint64_t sum = 0;
    __asm__ volatile(".p2align 5\n1:\n\t" ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8
                     "subs %0, %0, #1\n\tb.ne 1b\n\t"
                     : "+r"(n), "+r"(sum)
                     : "r"((uint64_t)3)
                     : "cc");
}

#define LOAD4 "ldr %1, [%1]\n\tldr %1, [%1]\n\tldr %1, [%1]\n\tldr %1, [%1]\n\t"
void **chase_loop(void **from, uint64_t n)
{
    __asm__ volatile("1:\n\t" LOAD4 LOAD4 LOAD4 LOAD4 "subs %0, %0, #1\n\tb.ne 1b\n\t"
                     : "+r"(n), "+r"(from)
                     :
                     : "cc", "memory");
    return from;
}
#endif
