/* What a call finds in registers, and what it must give back as it was. */
#include "backends/judge/sandbox_turns.h"

#include <sys/auxv.h>

#if SANDBOX_TURNS_CLEAN

#include <cpuid.h>

enum {
    XSAVE_ON = 1 << 27, /* leaf 1, ecx: OSXSAVE */
    KEYS_ON = 1 << 4,   /* leaf 7, ecx: OSPKE */
    BASES_ON = 1 << 1,  /* AT_HWCAP2 (Linux, Documentation/arch/x86/x86_64/fsgs.rst) */
    KEYS = 1 << 9,      /* XCR0 (SDM 1, 13.1): the rights of protection keys */
    X87_EMPTY = 0xffff,
    X87_USUAL = 0x37f,
    MXCSR_USUAL = 0x1f80,
    MXCSR_SEEN = 0x3f, /* what has happened */
};

/* What the CPU has; set before the first call. */
static struct {
    bool asked, xsave, keys, bases;
    uint64_t parts; /* of XCR0, that are cleared */
} cpu;

/* An image in the standard form of XRSTOR, all of whose parts are in their first state (SDM 1,
 * 13.4): only its MXCSR is read. */
static const struct {
    _Alignas(64) uint8_t legacy[24];
    uint32_t mxcsr, mask;
    uint8_t rest[4096 - 32];
} first_state = {.legacy = {0x7f, 0x03}, .mxcsr = MXCSR_USUAL};

static void ask_cpu(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0, low = 0, high = 0;
    cpu.asked = true;
    __get_cpuid(1, &a, &b, &c, &d);
    cpu.xsave = (c & XSAVE_ON) != 0;
    __get_cpuid_count(7, 0, &a, &b, &c, &d);
    cpu.keys = (c & KEYS_ON) != 0;
    cpu.bases = (getauxval(AT_HWCAP2) & BASES_ON) != 0;
    if (cpu.xsave)
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    cpu.parts = ((uint64_t)high << 32 | low) & ~(uint64_t)KEYS;
}

void sandbox_registers_read(struct sandbox_registers *r)
{
    struct {
        uint32_t control, status, tags, rest[4];
    } x87;
    uint16_t ds, es, fs, gs;
    uint32_t keys = 0, ignored;
    if (!cpu.asked)
        ask_cpu();
    __asm__ volatile("fnstenv %0\n\tfldenv %0" : "=m"(x87));
    __asm__ volatile("mov %%ds, %0\n\tmov %%es, %1\n\tmov %%fs, %2\n\tmov %%gs, %3"
                     : "=r"(ds), "=r"(es), "=r"(fs), "=r"(gs));
    *r = (struct sandbox_registers){.rounding = __builtin_ia32_stmxcsr() & ~(unsigned)MXCSR_SEEN,
                                    .x87 = x87.control & 0xffff,
                                    .tags = x87.tags & 0xffff,
                                    .selectors = (uint64_t)ds << 48 | (uint64_t)es << 32 |
                                                 (uint64_t)fs << 16 | gs};
    if (cpu.bases)
        __asm__ volatile("rdfsbase %0\n\trdgsbase %1" : "=r"(r->fs), "=r"(r->gs));
    if (cpu.keys)
        __asm__ volatile("rdpkru" : "=a"(keys), "=d"(ignored) : "c"(0));
    r->keys = keys;
}

void sandbox_registers_clear(const struct sandbox_registers *usual)
{
    const uint16_t control = (uint16_t)usual->x87;
    if (cpu.xsave)
        __asm__ volatile("xrstor64 %0" ::"m"(first_state), "a"((uint32_t)cpu.parts),
                         "d"((uint32_t)(cpu.parts >> 32))
                         : "memory");
    else
        __asm__ volatile("fninit\n\tfxrstor64 %0" ::"m"(first_state) : "memory");
    /* an object that is loaded as it is may have set them */
    __builtin_ia32_ldmxcsr((unsigned)usual->rounding);
    __asm__ volatile("fldcw %0" ::"m"(control));
}

const char *sandbox_registers_changed(const struct sandbox_registers *was,
                                      const struct sandbox_registers *is)
{
    if (is->rounding != was->rounding)
        return "it leaves another rounding mode, or denormal numbers switched off";
    if (is->x87 != was->x87)
        return "it leaves another control word of the x87 (rounding, precision)";
    if (is->tags != was->tags)
        return "it leaves MMX or x87 registers in use";
    if (is->fs != was->fs || is->gs != was->gs || is->selectors != was->selectors)
        return "it leaves another segment register, or another base of one";
    return is->keys != was->keys ? "it leaves other rights of protection keys" : NULL;
}

#else

void sandbox_registers_read(struct sandbox_registers *r)
{
    *r = (struct sandbox_registers){.rounding = 0};
#if defined(__x86_64__)
    r->rounding = __builtin_ia32_stmxcsr() & ~UINT32_C(0x3f); /* without what has happened */
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(r->rounding));
#endif
}

void sandbox_registers_clear(const struct sandbox_registers *usual)
{
    (void)usual;
}

const char *sandbox_registers_changed(const struct sandbox_registers *was,
                                      const struct sandbox_registers *is)
{
    return is->rounding != was->rounding
               ? "it leaves another rounding mode, or denormal numbers switched off"
               : NULL;
}

#endif
