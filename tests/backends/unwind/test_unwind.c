/* Unwinds from registers and a copy of the stack; compares with the C library's unwinder. */
#include "backends/unwind/unwind.h"

#include <dwarf.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "backends/functions/sampler_impl.h"
#include "backends/unwind/unwind_impl.h"
#include "support/test.h"

/* --- expressions --- */

static struct cfi_state two_registers(void)
{
    static const uint64_t stack[3] = {0x11, 0x22, 0x33};
    struct cfi_state s = {
        .stack = (const uint8_t *)stack, .stack_at = 0x1000, .stack_size = sizeof stack};
    s.reg[CFI_SP] = 0x1000;
    s.reg[3] = 7;
    s.known = 1ull << CFI_SP | 1ull << 3;
    return s;
}

static void expect_result(const Dwarf_Op *ops, size_t n, uint64_t want, bool is_value)
{
    struct cfi_state s = two_registers();
    uint64_t out;
    bool value;
    assert_true(cfi_eval(ops, n, &s, 0x2000, NULL, &out, &value));
    assert_int_equal(out, want);
    assert_int_equal(value, is_value);
}

TEST(expressions_compute)
{
    /* the CFA of a procedure linkage table's entry, as linkers write it: sp + 8 + ((pc & 15) >= 11)
     * << 3, here with register 3 for the pc */
    const Dwarf_Op plt[] = {
        {.atom = DW_OP_bregx, .number = CFI_SP, .number2 = 8},
        {.atom = DW_OP_breg0 + 3},
        {.atom = DW_OP_lit15},
        {.atom = DW_OP_and},
        {.atom = DW_OP_lit0 + 11},
        {.atom = DW_OP_ge},
        {.atom = DW_OP_lit3},
        {.atom = DW_OP_shl},
        {.atom = DW_OP_plus},
    };
    expect_result(plt, 9, 0x1008, false);
    const Dwarf_Op deref[] = {{.atom = DW_OP_bregx, .number = CFI_SP, .number2 = 16},
                              {.atom = DW_OP_deref}};
    expect_result(deref, 2, 0x33, false);
    const Dwarf_Op value[] = {{.atom = DW_OP_call_frame_cfa},
                              {.atom = DW_OP_plus_uconst, .number = (Dwarf_Word)-8},
                              {.atom = DW_OP_stack_value}};
    expect_result(value, 3, 0x1ff8, true);
    const Dwarf_Op moved[] = {{.atom = DW_OP_const1u, .number = 9},
                              {.atom = DW_OP_lit2},
                              {.atom = DW_OP_over},
                              {.atom = DW_OP_swap},
                              {.atom = DW_OP_minus},
                              {.atom = DW_OP_mul}};
    expect_result(moved, 6, 63, false); /* 9 * (9 - 2) */
}

TEST(invalid_expressions_fail)
{
    static const Dwarf_Op bad[][2] = {
        {{.atom = DW_OP_plus}, {.atom = DW_OP_nop}},                  /* nothing to add */
        {{.atom = DW_OP_breg0 + 5}, {.atom = DW_OP_nop}},             /* an unknown register */
        {{.atom = DW_OP_bregx, .number = 4000}, {.atom = DW_OP_nop}}, /* no such register */
        {{.atom = DW_OP_lit1}, {.atom = DW_OP_deref}}, /* memory that was not copied */
        {{.atom = DW_OP_addr, .number = 0x1011}, {.atom = DW_OP_deref}}, /* half outside */
        {{.atom = DW_OP_lit1}, {.atom = 0xff}},                          /* no such operation */
        {{.atom = DW_OP_lit1}, {.atom = DW_OP_pick, .number = 1}},
        {{.atom = DW_OP_lit1}, {.atom = DW_OP_swap}},
        {{.atom = DW_OP_lit1}, {.atom = DW_OP_drop}}, /* nothing is left */
    };
    struct cfi_state s = two_registers();
    uint64_t out;
    bool value;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (cfi_eval(bad[i], 2, &s, 0, NULL, &out, &value))
            fail_msg("expression %zu gave %llx", i, (unsigned long long)out);
    Dwarf_Op deep[100];
    for (int i = 0; i < 100; i++)
        deep[i] = (Dwarf_Op){.atom = DW_OP_lit1};
    assert_false(cfi_eval(deep, 100, &s, 0, NULL, &out, &value));
}

/* --- one step --- */

__attribute__((noinline)) static int stepped_from(int v)
{
    __asm__ volatile("" : "+r"(v));
    return v;
}

static int take_base(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    *(uint64_t *)out = info->dlpi_addr;
    return 1; /* the program is the first */
}

/* A register that a function does not save has its caller's value: known if it was known, else
 * unknown. */
TEST(unknown_registers_stay_unknown)
{
    static const uint64_t stack[] = {0x401234, 0x22};
    uint64_t base = 0;
    dl_iterate_phdr(take_base, &base);
    assert_int_equal(stepped_from(3), 3);
    const uint64_t saved = 1ull << CFI_FP; /* every function keeps it */
    for (int known = 0; known < 2; known++) {
        struct cfi *c = cfi_new();
        struct cfi_state s = {
            .stack = (const uint8_t *)stack, .stack_at = 0x1000, .stack_size = sizeof stack};
        bool signal = false;
        s.reg[CFI_SP] = 0x1000;
        s.reg[CFI_RETURN] = 0x401234; /* where the return address is a register */
        s.reg[CFI_FP] = 77;
        s.known = 1ull << CFI_SP | 1ull << CFI_PC | 1ull << CFI_RETURN | (known ? saved : 0);
        uint64_t at = (uint64_t)(uintptr_t)stepped_from - base; /* its first instruction */
        assert_int_equal(cfi_step(c, 7, "/proc/self/exe", at, &s, &signal), CFI_STEPPED);
        assert_int_equal(s.reg[CFI_PC], 0x401234);
        assert_true(s.known >> CFI_SP & 1 && s.known >> CFI_PC & 1);
        assert_int_equal(s.known >> CFI_FP & 1, known);
        assert_true(!known || s.reg[CFI_FP] == 77);
        cfi_free(c);
    }
}

/* --- this process --- */

enum { FRAMES = 64, STACK = 32768 };

struct capture {
    uint64_t regs[40];
    size_t nregs;
    uint8_t stack[STACK];
    size_t nstack;
    void *expected[FRAMES];
    int nexpected;
};
static struct capture taken;

/* Registers in the order of unwind_regs_mask. */
#if defined(__x86_64__)
static uint64_t stack_pointer(const ucontext_t *uc)
{
    return (uint64_t)uc->uc_mcontext.gregs[REG_RSP];
}

static void take_registers(struct capture *c, const ucontext_t *uc)
{
    static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP,
                                REG_RSP, REG_RIP, REG_EFL, -1,      -1,      REG_R8,  REG_R9,
                                REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    c->nregs = sizeof order / sizeof *order;
    for (size_t i = 0; i < c->nregs; i++)
        c->regs[i] = order[i] < 0 ? 0 : (uint64_t)uc->uc_mcontext.gregs[order[i]];
}
#elif defined(__aarch64__)
static uint64_t stack_pointer(const ucontext_t *uc)
{
    return uc->uc_mcontext.sp;
}

static void take_registers(struct capture *c, const ucontext_t *uc)
{
    c->nregs = 33;
    memcpy(c->regs, uc->uc_mcontext.regs, 31 * sizeof *c->regs);
    c->regs[31] = uc->uc_mcontext.sp;
    c->regs[32] = uc->uc_mcontext.pc;
}
#endif

static void *stack_end;

static void find_stack_end(void)
{
    pthread_attr_t a;
    void *base;
    size_t size;
    pthread_getattr_np(pthread_self(), &a);
    pthread_attr_getstack(&a, &base, &size);
    pthread_attr_destroy(&a);
    stack_end = (uint8_t *)base + size;
}

__attribute__((no_sanitize("address"))) static void take(struct capture *c, const ucontext_t *uc)
{
    uint64_t sp = stack_pointer(uc), room = (uint64_t)(uintptr_t)stack_end - sp;
    c->nstack = room < STACK ? (size_t)room : STACK;
    const volatile uint8_t *from = (const uint8_t *)(uintptr_t)sp; /* NOLINT: the stack itself */
    for (size_t i = 0; i < c->nstack; i++)
        c->stack[i] = from[i];
    take_registers(c, uc);
}

__attribute__((noinline)) static void inner(struct capture *c)
{
    ucontext_t uc;
    getcontext(&uc);
    take(c, &uc);
    c->nexpected = backtrace(c->expected, FRAMES);
}

__attribute__((noinline)) static int middle(struct capture *c, int n)
{
    volatile char room[300];
    room[n % 300] = (char)n;
    if (n > 0)
        return middle(c, n - 1) + room[n % 300];
    inner(c);
    return room[0];
}

static size_t unwind_taken(const struct capture *c, struct unwound *out)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct symtab table = {0};
    struct process_maps *maps = maps_new();
    struct cfi *cfi = cfi_new();
    struct frame_names *names =
        names_new(&(struct names_shared){.table = &table, .lock = &lock, .maps = maps});
    struct record_sample s = {.user_regs = true,
                              .regs = c->regs,
                              .nregs = c->nregs,
                              .stack = c->stack,
                              .nstack = c->nstack};
    const struct unwinding u = {cfi, names, maps, getpid(), 1};
    size_t n = unwind(&u, &s, out, FRAMES);
    names_free(names);
    cfi_free(cfi);
    maps_free(maps);
    symtab_free(&table);
    return n;
}

/*
 * From the caller of inner on, the addresses are the same, up to _start. inner itself was at
 * another instruction, and sanitizers add a frame before it.
 */
static size_t expect_same_callers(const struct capture *c, const struct unwound *out, size_t n)
{
    size_t at = 1, exact = 0;
    assert_true(n > 1);
    while (at < (size_t)c->nexpected && (uintptr_t)c->expected[at] != out[1].address)
        at++;
    assert_true(at <= 3);
    for (size_t i = 1; i < n && at + i - 1 < (size_t)c->nexpected; i++) {
        assert_int_equal(out[i].address, (uintptr_t)c->expected[at + i - 1]);
        exact += out[i].exact;
    }
    assert_int_equal(n - 1, (size_t)c->nexpected - at);
    return exact;
}

TEST(callers_are_those_of_the_c_library)
{
    struct unwound out[FRAMES];
    find_stack_end();
    middle(&taken, 5);
    size_t n = unwind_taken(&taken, out);
    assert_true(n > 8);
    assert_true(out[0].exact);
    assert_int_equal(expect_same_callers(&taken, out, n), 0);
}

/* --- through a signal handler --- */

static void on_signal(int signo)
{
    (void)signo;
    inner(&taken);
}

TEST(a_handlers_frame_leads_to_what_it_interrupted)
{
    struct unwound out[FRAMES];
    struct sigaction sa = {.sa_handler = on_signal}, before;
    find_stack_end();
    sigaction(SIGUSR1, &sa, &before);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, NULL);
    size_t n = unwind_taken(&taken, out);
    /* the interrupted instruction is exact, not a return address */
    assert_int_equal(expect_same_callers(&taken, out, n), 1);
}

/* Random registers and stacks: unwinding ends, and reads only what was copied. */
TEST(nonsense_ends)
{
    struct unwound out[FRAMES];
    find_stack_end();
    middle(&taken, 0);
    uint64_t x = 5;
    for (int round = 0; round < 200; round++) {
        struct capture *c = malloc(sizeof *c);
        assert_non_null(c);
        *c = taken;
        for (int k = 0; k < 20; k++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            c->stack[(x >> 33) % c->nstack] ^= (uint8_t)(x >> 20);
            if (round % 2)
                c->regs[(x >> 40) % c->nregs] ^= x >> (x >> 58);
        }
        if (round % 5 == 0)
            c->nstack = (size_t)(x >> 50) % c->nstack;
        assert_true(unwind_taken(c, out) <= FRAMES);
        free(c);
    }
}
