typedef int loops_x86_are_here; /* ISO C forbids an empty file */
#ifdef __x86_64__
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/roofs/roofs_impl.h"

#define ALL_REGISTERS                                                                              \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",       \
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

/* A function that repeats the text. Registers begin as 0, so that no denormal and no NaN occurs. */
#define LOOP(function, features, begin, text, end)                                                 \
    __attribute__((target(features), noinline)) static void function(uint64_t n)                   \
    {                                                                                              \
        __asm__ volatile(begin ".p2align 5\n1:\n\t" text "dec %0\n\tjnz 1b\n\t" end                \
                         : "+r"(n)                                                                 \
                         :                                                                         \
                         : "cc", "memory", ALL_REGISTERS);                                         \
    }
#define AVX_LOOP(function, features, text)                                                         \
    LOOP(function, features, "vzeroall\n\t", text, "vzeroupper\n\t")

/* Three operands: accumulator += register 14 * register 15, or accumulator += register 15. */
#define FMA(r, op, acc) op " %%" r "15, %%" r "14, %%" r #acc "\n\t"
#define ADD(r, op, acc) op " %%" r "15, %%" r #acc ", %%" r #acc "\n\t"

/* Twelve accumulators: more than two pipes of latency four need, so that no instruction waits. */
#define FMA12(r, op)                                                                               \
    FMA(r, op, 0)                                                                                  \
    FMA(r, op, 1)                                                                                  \
    FMA(r, op, 2)                                                                                  \
    FMA(r, op, 3)                                                                                  \
    FMA(r, op, 4)                                                                                  \
    FMA(r, op, 5)                                                                                  \
    FMA(r, op, 6) FMA(r, op, 7) FMA(r, op, 8) FMA(r, op, 9) FMA(r, op, 10) FMA(r, op, 11)
/* Multiply-adds and additions in the order FMA, ADD, ADD, FMA: a core with separate pipes for
 * additions starts two of each in a cycle. Sixteen registers have room for eight and six
 * accumulators, which the latencies of four and three need exactly (Zen 4 reaches 90 % of its
 * pipes); the thirty-two of AVX-512VL have room for twelve of each. */
#define QUAD16(r, f, a, f1, a1, a2, f2) FMA(r, f, f1) ADD(r, a, a1) ADD(r, a, a2) FMA(r, f, f2)
#define MIX24(r, f, a)                                                                             \
    QUAD16(r, f, a, 0, 8, 9, 1)                                                                    \
    QUAD16(r, f, a, 2, 10, 11, 3)                                                                  \
    QUAD16(r, f, a, 4, 12, 13, 5)                                                                  \
    QUAD16(r, f, a, 6, 8, 9, 7)                                                                    \
    QUAD16(r, f, a, 0, 10, 11, 1)                                                                  \
    QUAD16(r, f, a, 2, 12, 13, 3)                                                                  \
    QUAD16(r, f, a, 4, 8, 9, 5)                                                                    \
    QUAD16(r, f, a, 6, 10, 11, 7)                                                                  \
    QUAD16(r, f, a, 0, 12, 13, 1)                                                                  \
    QUAD16(r, f, a, 2, 8, 9, 3) QUAD16(r, f, a, 4, 10, 11, 5) QUAD16(r, f, a, 6, 12, 13, 7)
#define FMA31(r, op, acc) op " %%" r "31, %%" r "31, %%" r #acc "\n\t"
#define ADD31(r, op, acc) op " %%" r "31, %%" r #acc ", %%" r #acc "\n\t"
#define QUAD32(r, f, a, f1, f2, a1, a2)                                                            \
    FMA31(r, f, f1) FMA31(r, f, f2) ADD31(r, a, a1) ADD31(r, a, a2)
#define MIX12(r, f, a)                                                                             \
    QUAD32(r, f, a, 0, 1, 12, 13)                                                                  \
    QUAD32(r, f, a, 2, 3, 14, 15)                                                                  \
    QUAD32(r, f, a, 4, 5, 16, 17)                                                                  \
    QUAD32(r, f, a, 6, 7, 18, 19) QUAD32(r, f, a, 8, 9, 20, 21) QUAD32(r, f, a, 10, 11, 22, 23)
/* Dot products of bfloat16 end after six cycles (Zen 5): two pipes need more than twelve. */
#define DOT6(op, a, b, c, d, e, f)                                                                 \
    FMA31("zmm", op, a)                                                                            \
    FMA31("zmm", op, b)                                                                            \
    FMA31("zmm", op, c) FMA31("zmm", op, d) FMA31("zmm", op, e) FMA31("zmm", op, f)
#define DOT24(op)                                                                                  \
    DOT6(op, 0, 1, 2, 3, 4, 5)                                                                     \
    DOT6(op, 6, 7, 8, 9, 10, 11)                                                                   \
    DOT6(op, 12, 13, 14, 15, 16, 17) DOT6(op, 18, 19, 20, 21, 22, 23)
#define HIGH_ZERO(acc) "vpxorq %%zmm" #acc ", %%zmm" #acc ", %%zmm" #acc "\n\t"
#define HIGH_ZEROS                                                                                 \
    HIGH_ZERO(16)                                                                                  \
    HIGH_ZERO(17)                                                                                  \
    HIGH_ZERO(18)                                                                                  \
    HIGH_ZERO(19) HIGH_ZERO(20) HIGH_ZERO(21) HIGH_ZERO(22) HIGH_ZERO(23) HIGH_ZERO(31)
#define HIGH_REGISTERS                                                                             \
    "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm31"
#define LOOP32(function, text)                                                                     \
    __attribute__((target("avx512f,avx512vl"), noinline)) static void function(uint64_t n)         \
    {                                                                                              \
        __asm__ volatile("vzeroall\n\t" HIGH_ZEROS ".p2align 5\n1:\n\t" text                       \
                         "dec %0\n\tjnz 1b\n\tvzeroupper\n\t"                                      \
                         : "+r"(n)                                                                 \
                         :                                                                         \
                         : "cc", "memory", ALL_REGISTERS, HIGH_REGISTERS);                         \
    }

/* Two operands (SSE2): accumulator op= itself, of zeros, so that all sixteen registers accumulate.
 * Multiplications and additions alternate. */
#define SSE(op, acc) op " %%xmm" #acc ", %%xmm" #acc "\n\t"
#define SSE_MIX(m, a)                                                                              \
    SSE(m, 0)                                                                                      \
    SSE(a, 8)                                                                                      \
    SSE(m, 1)                                                                                      \
    SSE(a, 9)                                                                                      \
    SSE(m, 2)                                                                                      \
    SSE(a, 10)                                                                                     \
    SSE(m, 3)                                                                                      \
    SSE(a, 11)                                                                                     \
    SSE(m, 4)                                                                                      \
    SSE(a, 12) SSE(m, 5) SSE(a, 13) SSE(m, 6) SSE(a, 14) SSE(m, 7) SSE(a, 15)
#define ZERO(acc) "xorps %%xmm" #acc ", %%xmm" #acc "\n\t"
#define ZEROS                                                                                      \
    ZERO(0)                                                                                        \
    ZERO(1)                                                                                        \
    ZERO(2)                                                                                        \
    ZERO(3)                                                                                        \
    ZERO(4)                                                                                        \
    ZERO(5) ZERO(6) ZERO(7) ZERO(8) ZERO(9) ZERO(10) ZERO(11) ZERO(12) ZERO(13) ZERO(14) ZERO(15)

LOOP(sse_sd, "sse2", ZEROS, SSE_MIX("mulsd", "addsd"), "")
LOOP(sse_ss, "sse2", ZEROS, SSE_MIX("mulss", "addss"), "")
LOOP(sse_pd, "sse2", ZEROS, SSE_MIX("mulpd", "addpd"), "")
LOOP(sse_ps, "sse2", ZEROS, SSE_MIX("mulps", "addps"), "")
AVX_LOOP(fma_sd, "avx,fma", FMA12("xmm", "vfmadd231sd"))
AVX_LOOP(fma_ss, "avx,fma", FMA12("xmm", "vfmadd231ss"))
AVX_LOOP(mix_sd, "avx,fma", MIX24("xmm", "vfmadd231sd", "vaddsd"))
AVX_LOOP(mix_ss, "avx,fma", MIX24("xmm", "vfmadd231ss", "vaddss"))
AVX_LOOP(fma128_pd, "avx,fma", FMA12("xmm", "vfmadd231pd"))
AVX_LOOP(fma128_ps, "avx,fma", FMA12("xmm", "vfmadd231ps"))
AVX_LOOP(fma256_pd, "avx,fma", FMA12("ymm", "vfmadd231pd"))
AVX_LOOP(fma256_ps, "avx,fma", FMA12("ymm", "vfmadd231ps"))
AVX_LOOP(mix256_pd, "avx,fma", MIX24("ymm", "vfmadd231pd", "vaddpd"))
AVX_LOOP(mix256_ps, "avx,fma", MIX24("ymm", "vfmadd231ps", "vaddps"))
AVX_LOOP(fma512_pd, "avx512f", FMA12("zmm", "vfmadd231pd"))
AVX_LOOP(fma512_ps, "avx512f", FMA12("zmm", "vfmadd231ps"))
LOOP32(mix32_sd, MIX12("xmm", "vfmadd231sd", "vaddsd"))
LOOP32(mix32_ss, MIX12("xmm", "vfmadd231ss", "vaddss"))
LOOP32(mix32_256_pd, MIX12("ymm", "vfmadd231pd", "vaddpd"))
LOOP32(mix32_256_ps, MIX12("ymm", "vfmadd231ps", "vaddps"))
LOOP32(mix512_pd, MIX12("zmm", "vfmadd231pd", "vaddpd"))
LOOP32(mix512_ps, MIX12("zmm", "vfmadd231ps", "vaddps"))
AVX_LOOP(dot256_i8, "avx512vnni,avx512vl", FMA12("ymm", "vpdpbusd"))
AVX_LOOP(dot512_i8, "avx512vnni,avx512f", FMA12("zmm", "vpdpbusd"))
LOOP32(dot512_bf16, DOT24("vdpbf16ps"))

/* Assemblers have known these instructions for longer than compilers have known their names. */
AVX_LOOP(fma512_ph, "avx512f", FMA12("zmm", "vfmadd231ph"))
AVX_LOOP(dot256_avx_i8, "avx2", FMA12("ymm", "%{vex%} vpdpbusd"))

/* AMX: four tiles of sums, sixteen rows of 64 bytes; each instruction multiplies two tiles and adds
 * to a third. Each takes 16 cycles to start and 52 to end (Intel optimization manual 248966, 20.2),
 * which four sums cover. Each thread must configure its tiles. */
struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t column_bytes[16];
    uint8_t rows[16];
};
static const struct tile_config tiles = {.palette = 1,
                                         .column_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
                                         .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
#define TILE_ZERO(t) "tilezero %%tmm" #t "\n\t"
#define TILE_ZEROS                                                                                 \
    TILE_ZERO(0)                                                                                   \
    TILE_ZERO(1)                                                                                   \
    TILE_ZERO(2) TILE_ZERO(3) TILE_ZERO(4) TILE_ZERO(5) TILE_ZERO(6) TILE_ZERO(7)
#define TILES4(op)                                                                                 \
    op " %%tmm6, %%tmm4, %%tmm0\n\t" op " %%tmm7, %%tmm4, %%tmm1\n\t" op                           \
       " %%tmm6, %%tmm5, %%tmm2\n\t" op " %%tmm7, %%tmm5, %%tmm3\n\t"
#define TILE_LOOP(function, op)                                                                    \
    __attribute__((noinline)) static void function(uint64_t n)                                     \
    {                                                                                              \
        __asm__ volatile("ldtilecfg %1\n\t" TILE_ZEROS ".p2align 5\n1:\n\t" TILES4(op)             \
                             TILES4(op) "dec %0\n\tjnz 1b\n\ttilerelease\n\t"                      \
                         : "+r"(n)                                                                 \
                         : "m"(tiles)                                                              \
                         : "cc", "memory");                                                        \
    }
TILE_LOOP(amx_i8, "tdpbssd")
TILE_LOOP(amx_bf16, "tdpbf16ps")

#define SUPPORTED(name, feature)                                                                   \
    static bool name(void)                                                                         \
    {                                                                                              \
        __builtin_cpu_init();                                                                      \
        return __builtin_cpu_supports(feature);                                                    \
    }
SUPPORTED(has_sse2, "sse2")
SUPPORTED(has_avx, "avx")
SUPPORTED(has_fma, "fma")
SUPPORTED(has_avx512, "avx512f")
SUPPORTED(has_avx512vl, "avx512vl")
SUPPORTED(has_vnni, "avx512vnni")
SUPPORTED(has_bf16, "avx512bf16")

/* Bits of CPUID leaf 7. Source: Intel SDM vol. 2A, CPUID, table 3-8 */
enum {
    EDX_AMX_BF16 = 1 << 22,
    EDX_AVX512_FP16 = 1 << 23,
    EDX_AMX_TILE = 1 << 24,
    EDX_AMX_INT8 = 1 << 25,
    EAX1_AVX_VNNI = 1 << 4, /* in subleaf 1 */
};

static bool has_leaf7(unsigned edx, unsigned eax1)
{
    unsigned a = 0, b, c, d = 0, a1 = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return false;
    if (eax1 && a >= 1) {
        unsigned ignored;
        __cpuid_count(7, 1, a1, b, c, ignored);
        (void)ignored;
    }
    return (d & edx) == edx && (a1 & eax1) == eax1;
}

static bool has_avx512_fp16(void)
{
    return has_avx512() && has_leaf7(EDX_AVX512_FP16, 0);
}

static bool has_avx_vnni(void)
{
    return has_avx() && has_leaf7(0, EAX1_AVX_VNNI);
}

/* Whether tiles can be used: Linux gives their 8 KiB only to a process that asks
 * (Documentation/arch/x86/xstate.rst), so for AMX only the kernel's answer counts. */
static bool has_tiles(unsigned type)
{
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* arch/x86/include/uapi/asm/prctl.h */
    return has_leaf7(EDX_AMX_TILE | type, 0) &&
           syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

static bool has_amx_i8(void)
{
    return has_tiles(EDX_AMX_INT8);
}

static bool has_amx_bf16(void)
{
    return has_tiles(EDX_AMX_BF16);
}

static bool has_vnni256(void)
{
    return has_vnni() && has_avx512vl();
}

/* Operations: 16 of a SSE iteration, 12 multiply-adds, or 24 (12) multiply-adds and as many
 * additions. */
enum { SSE_N = 16, FMA_N = 12 * 2, MIX_N = 24 * 2 + 24, MIX32_N = 12 * 2 + 12 };

const struct flop_loop flop_loops[] = {
    {"SSE2 scalar MUL+ADD", "FP64", 0, 64, ROOF_MUL_ADD, SSE_N, sse_sd, has_sse2},
    {"SSE2 scalar MUL+ADD", "FP32", 0, 32, ROOF_MUL_ADD, SSE_N, sse_ss, has_sse2},
    {"SSE2 MUL+ADD", "FP64", 128, 64, ROOF_MUL_ADD, SSE_N * 2, sse_pd, has_sse2},
    {"SSE2 MUL+ADD", "FP32", 128, 32, ROOF_MUL_ADD, SSE_N * 4, sse_ps, has_sse2},
    {"scalar FMA", "FP64", 0, 64, ROOF_FMA, FMA_N, fma_sd, has_fma},
    {"scalar FMA", "FP32", 0, 32, ROOF_FMA, FMA_N, fma_ss, has_fma},
    {"scalar FMA+ADD", "FP64", 0, 64, ROOF_FMA_ADD, MIX32_N, mix32_sd, has_avx512vl},
    {"scalar FMA+ADD", "FP32", 0, 32, ROOF_FMA_ADD, MIX32_N, mix32_ss, has_avx512vl},
    {"scalar FMA+ADD", "FP64", 0, 64, ROOF_FMA_ADD, MIX_N, mix_sd, has_fma},
    {"scalar FMA+ADD", "FP32", 0, 32, ROOF_FMA_ADD, MIX_N, mix_ss, has_fma},
    {"128-bit FMA", "FP64", 128, 64, ROOF_FMA, FMA_N * 2, fma128_pd, has_fma},
    {"128-bit FMA", "FP32", 128, 32, ROOF_FMA, FMA_N * 4, fma128_ps, has_fma},
    {"256-bit FMA", "FP64", 256, 64, ROOF_FMA, FMA_N * 4, fma256_pd, has_fma},
    {"256-bit FMA", "FP32", 256, 32, ROOF_FMA, FMA_N * 8, fma256_ps, has_fma},
    {"256-bit FMA+ADD", "FP64", 256, 64, ROOF_FMA_ADD, MIX32_N * 4, mix32_256_pd, has_avx512vl},
    {"256-bit FMA+ADD", "FP32", 256, 32, ROOF_FMA_ADD, MIX32_N * 8, mix32_256_ps, has_avx512vl},
    {"256-bit FMA+ADD", "FP64", 256, 64, ROOF_FMA_ADD, MIX_N * 4, mix256_pd, has_fma},
    {"256-bit FMA+ADD", "FP32", 256, 32, ROOF_FMA_ADD, MIX_N * 8, mix256_ps, has_fma},
    {"AVX-512 FMA", "FP64", 512, 64, ROOF_FMA, FMA_N * 8, fma512_pd, has_avx512},
    {"AVX-512 FMA", "FP32", 512, 32, ROOF_FMA, FMA_N * 16, fma512_ps, has_avx512},
    {"AVX-512 FMA+ADD", "FP64", 512, 64, ROOF_FMA_ADD, MIX32_N * 8, mix512_pd, has_avx512vl},
    {"AVX-512 FMA+ADD", "FP32", 512, 32, ROOF_FMA_ADD, MIX32_N * 16, mix512_ps, has_avx512vl},
    /* four multiply-adds of bytes, or two of bfloat16, in each 32 bits */
    {"AVX-512 VNNI dot, 256", "INT8", 256, 8, ROOF_DOT, 12 * 8 * 8, dot256_i8, has_vnni256},
    {"AVX-512 VNNI dot", "INT8", 512, 8, ROOF_DOT, 12 * 8 * 16, dot512_i8, has_vnni},
    {"AVX-512 dot", "BF16", 512, 16, ROOF_DOT, 24 * 4 * 16, dot512_bf16, has_bf16},
    {"AVX-512 FMA", "FP16", 512, 16, ROOF_FMA, FMA_N * 32, fma512_ph, has_avx512_fp16},
    {"AVX-VNNI dot", "INT8", 256, 8, ROOF_DOT, 12 * 8 * 8, dot256_avx_i8, has_avx_vnni},
    /* 16 by 16 sums of 64 products of bytes, or 32 of bfloat16; a row has 512 bits */
    {"AMX matrix", "INT8", 512, 0, ROOF_FMA, 8 * 16.0 * 16 * 64 * 2, amx_i8, has_amx_i8},
    {"AMX matrix", "BF16", 512, 0, ROOF_FMA, 8 * 16.0 * 16 * 32 * 2, amx_bf16, has_amx_bf16},
    {.name = NULL},
};

/* --- memory --- */

#define AT8(f, w0, w1, w2, w3, w4, w5, w6, w7)                                                     \
    f(w0, 0) f(w1, 1) f(w2, 2) f(w3, 3) f(w4, 4) f(w5, 5) f(w6, 6) f(w7, 7)
#define EACH64(f) AT8(f, "0", "64", "128", "192", "256", "320", "384", "448")
#define EACH32(f) AT8(f, "0", "32", "64", "96", "128", "160", "192", "224")
#define EACH16(f) AT8(f, "0", "16", "32", "48", "64", "80", "96", "112")

/* Goes through the arrays; %0 counts bytes up to %5, %1 passes. Registers begin as 0, so that the
 * arrays are zeros for the next loop too. */
#define STREAM(function, features, step, begin, text, end)                                         \
    __attribute__((target(features), noinline)) static void function(                              \
        char *a, const char *b, const char *c, size_t bytes, uint64_t passes)                      \
    {                                                                                              \
        size_t i = 0;                                                                              \
        __asm__ volatile(begin "2:\n\txor %0, %0\n\t.p2align 5\n1:\n\t" text "add $" step          \
                               ", %0\n\tcmp %5, %0\n\tjb 1b\n\tdec %1\n\tjnz 2b\n\t" end           \
                         : "+&r"(i), "+&r"(passes)                                                 \
                         : "r"(a), "r"(b), "r"(c), "r"(bytes)                                      \
                         : "cc", "memory", ALL_REGISTERS);                                         \
    }

#define AGAIN64(f) AT8(f, "512", "576", "640", "704", "768", "832", "896", "960")
#define AGAIN32(f) AT8(f, "256", "288", "320", "352", "384", "416", "448", "480")

#define LOAD_Z(o, x)  "vmovaps " o "(%2,%0), %%zmm" #x "\n\t"
#define STORE_Z(o, x) "vmovaps %%zmm" #x ", " o "(%2,%0)\n\t"
#define COPY_Z(o, x)  "vmovaps " o "(%3,%0), %%zmm" #x "\n\tvmovaps %%zmm" #x ", " o "(%2,%0)\n\t"
#define TRIAD_Z(o, x)                                                                              \
    "vmovaps " o "(%3,%0), %%zmm" #x "\n\tvfmadd231pd " o "(%4,%0), %%zmm15, %%zmm" #x             \
    "\n\tvmovaps %%zmm" #x ", " o "(%2,%0)\n\t"
#define PAST_Z(o, x)  "vmovntps %%zmm" #x ", " o "(%2,%0)\n\t"
#define LOAD_Y(o, x)  "vmovaps " o "(%2,%0), %%ymm" #x "\n\t"
#define STORE_Y(o, x) "vmovaps %%ymm" #x ", " o "(%2,%0)\n\t"
#define COPY_Y(o, x)  "vmovaps " o "(%3,%0), %%ymm" #x "\n\tvmovaps %%ymm" #x ", " o "(%2,%0)\n\t"
#define TRIAD_Y(o, x)                                                                              \
    "vmovaps " o "(%3,%0), %%ymm" #x "\n\tvfmadd231pd " o "(%4,%0), %%ymm15, %%ymm" #x             \
    "\n\tvmovaps %%ymm" #x ", " o "(%2,%0)\n\t"
#define PAST_Y(o, x)  "vmovntps %%ymm" #x ", " o "(%2,%0)\n\t"
#define LOAD_X(o, x)  "movaps " o "(%2,%0), %%xmm" #x "\n\t"
#define STORE_X(o, x) "movaps %%xmm" #x ", " o "(%2,%0)\n\t"
#define COPY_X(o, x)  "movaps " o "(%3,%0), %%xmm" #x "\n\tmovaps %%xmm" #x ", " o "(%2,%0)\n\t"
#define TRIAD_X(o, x)                                                                              \
    "movaps " o "(%4,%0), %%xmm" #x "\n\tmulpd %%xmm15, %%xmm" #x "\n\taddpd " o                   \
    "(%3,%0), %%xmm" #x "\n\tmovaps %%xmm" #x ", " o "(%2,%0)\n\t"
#define PAST_X(o, x) "movntps %%xmm" #x ", " o "(%2,%0)\n\t"

/* The same with separate loads: then Zen 5 starts two loads and a store in a cycle, less if the
 * multiply-add itself loads. At the end of the arrays it begins again without a second loop, whose
 * end would be mispredicted each time (3 % of a pass through L1). */
#define APART(v, o, x)                                                                             \
    "vmovaps " o "(%4,%0), %%" v #x "\n\tvmovaps " o "(%3,%0), %%" v "14\n\tvmulpd %%" v           \
    "15, %%" v #x ", %%" v #x "\n\tvaddpd %%" v "14, %%" v #x ", %%" v #x "\n\tvmovaps %%" v #x    \
    ", " o "(%2,%0)\n\t"
#define TRIAD_APART(function, features, step, text)                                                \
    __attribute__((target(features), noinline)) static void function(                              \
        char *a, const char *b, const char *c, size_t bytes, uint64_t passes)                      \
    {                                                                                              \
        size_t i = 0;                                                                              \
        uint64_t n = passes * (bytes / (step));                                                    \
        __asm__ volatile("vzeroall\n\txor %0, %0\n\t.p2align 5\n1:\n\t" text                       \
                         "add %7, %0\n\tcmp %5, %0\n\tcmovae %6, %0\n\tdec %1\n\tjnz 1b\n\t"       \
                         "vzeroupper\n\t"                                                          \
                         : "+&r"(i), "+&r"(n)                                                      \
                         : "r"(a), "r"(b), "r"(c), "r"(bytes), "r"((size_t)0), "i"(step)           \
                         : "cc", "memory", ALL_REGISTERS);                                         \
    }
#define APART_Z(o, x) APART("zmm", o, x)
#define APART_Y(o, x) APART("ymm", o, x)
TRIAD_APART(apart_z, "avx512f", 512, EACH64(APART_Z))
TRIAD_APART(apart_y, "avx,fma", 256, EACH32(APART_Y))

#define ZEROED                              "vzeroall\n\t"
#define UPPER                               "vzeroupper\n\t"
#define STREAM_Z(function, step, text, end) STREAM(function, "avx512f", step, ZEROED, text, end)
#define STREAM_Y(function, step, text, end) STREAM(function, "avx,fma", step, ZEROED, text, end)
#define STREAM_X(function, text, end)       STREAM(function, "sse2", "128", ZEROS, text, end)
STREAM_Z(load_z, "1024", EACH64(LOAD_Z) AGAIN64(LOAD_Z), UPPER)
STREAM_Z(load4_z, "256", LOAD_Z("0", 0) LOAD_Z("64", 1) LOAD_Z("128", 2) LOAD_Z("192", 3), UPPER)
STREAM_Z(store_z, "512", EACH64(STORE_Z), UPPER)
STREAM_Z(copy_z, "512", EACH64(COPY_Z), UPPER)
STREAM_Z(triad_z, "512", EACH64(TRIAD_Z), UPPER)
STREAM_Z(past_z, "512", EACH64(PAST_Z), "sfence\n\t" UPPER)
STREAM_Y(load_y, "512", EACH32(LOAD_Y) AGAIN32(LOAD_Y), UPPER)
STREAM_Y(store_y, "256", EACH32(STORE_Y), UPPER)
STREAM_Y(copy_y, "256", EACH32(COPY_Y), UPPER)
STREAM_Y(triad_y, "256", EACH32(TRIAD_Y), UPPER)
STREAM_Y(past_y, "256", EACH32(PAST_Y), "sfence\n\t" UPPER)
STREAM_X(load_x, EACH16(LOAD_X), "")
STREAM_X(store_x, EACH16(STORE_X), "")
STREAM_X(copy_x, EACH16(COPY_X), "")
STREAM_X(triad_x, EACH16(TRIAD_X), "")
STREAM_X(past_x, EACH16(PAST_X), "sfence\n\t")

static bool has_avx_fma(void)
{
    return has_avx() && has_fma();
}

const struct stream_loop stream_loops[] = {
    {"load", 512, 1, 1, false, load_z, has_avx512},
    {"load", 512, 1, 1, false, load4_z, has_avx512},
    {"load", 256, 1, 1, false, load_y, has_avx_fma},
    {"load", 128, 1, 1, false, load_x, has_sse2},
    {"store", 512, 1, 1, false, store_z, has_avx512},
    {"store", 256, 1, 1, false, store_y, has_avx_fma},
    {"store", 128, 1, 1, false, store_x, has_sse2},
    {"copy", 512, 2, 2, false, copy_z, has_avx512},
    {"copy", 256, 2, 2, false, copy_y, has_avx_fma},
    {"copy", 128, 2, 2, false, copy_x, has_sse2},
    {"triad", 512, 3, 3, false, triad_z, has_avx512},
    {"triad", 512, 3, 3, false, apart_z, has_avx512},
    {"triad", 256, 3, 3, false, triad_y, has_avx_fma},
    {"triad", 256, 3, 3, false, apart_y, has_avx_fma},
    {"triad", 128, 3, 3, false, triad_x, has_sse2},
    {"store past caches", 512, 1, 1, true, past_z, has_avx512},
    {"store past caches", 256, 1, 1, true, past_y, has_avx_fma},
    {"store past caches", 128, 1, 1, true, past_x, has_sse2},
    {.name = NULL},
};

/* Adds registers: Golden Cove adds immediates for free while it renames registers. */
#define ADD8                                                                                       \
    "add %2,%1\n\tadd %2,%1\n\tadd %2,%1\n\tadd %2,%1\n\tadd %2,%1\n\tadd %2,%1\n\tadd "           \
    "%2,%1\n\tadd %2,%1\n\t"
void clock_loop(uint64_t n)
{
    uint64_t sum = 0;
    __asm__ volatile(".p2align 5\n1:\n\t" ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8
                     "dec %0\n\tjnz 1b\n\t"
                     : "+r"(n), "+r"(sum)
                     : "r"((uint64_t)3)
                     : "cc");
}

#define LOAD4 "mov (%1), %1\n\tmov (%1), %1\n\tmov (%1), %1\n\tmov (%1), %1\n\t"
void **chase_loop(void **from, uint64_t n)
{
    __asm__ volatile("1:\n\t" LOAD4 LOAD4 LOAD4 LOAD4 "dec %0\n\tjnz 1b\n\t"
                     : "+r"(n), "+r"(from)
                     :
                     : "cc", "memory");
    return from;
}
#endif
