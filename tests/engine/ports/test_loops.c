/* Loops in disassembled code, and instructions as text for an assembler. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ports/loops.h"
#include "support/test.h"

enum { ROWS = 64 };
static struct disassembly_row rows[ROWS];
static struct disassembly code;
static struct code_loop loops[LOOPS_MAX];

/* Instructions 4 bytes apart from 0x1000 on. */
static size_t find(const char *const *texts, size_t n, enum code_machine machine)
{
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct disassembly_row){.address = 0x1000 + 4 * i, .text = texts[i]};
    code = (struct disassembly){.rows = rows, .n = n};
    return loops_find(&code, machine, loops);
}
#define FIND(machine, ...)                                                                         \
    find((const char *const[]){__VA_ARGS__},                                                       \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), machine)

TEST(a_branch_back_is_a_loop)
{
    /* as binutils writes it, and as LLVM does */
    static const char *const ends[] = {
        "jne 1004 <f+0x4>", "jne 0x1004 <f+0x4>",   "jne 1004",
        "jmp 1004 <f+0x4>", "bnd jmp 1004 <f+0x4>", "loop 1004 <f+0x4>"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        assert_int_equal(
            FIND(MACHINE_X86_64, "xor %eax,%eax", "add $0x1,%eax", "call 2000 <g>", ends[i], "ret"),
            1);
        assert_int_equal(loops[0].first, 1);
        assert_int_equal(loops[0].last, 3);
        assert_int_equal(loops[0].depth, 1);
        assert_int_equal(loops[0].calls, 1);
        assert_true(loops[0].innermost);
    }
    assert_int_equal(FIND(MACHINE_X86_64, "nop", "jmp *%rax", "jne 1008 <f+0x8>", "ret"), 1);
    assert_int_equal(loops[0].first, 2);
    assert_int_equal(FIND(MACHINE_X86_64, "nop", "jne 100c <f+0xc>", "nop", "ret"), 0);
    assert_int_equal(FIND(MACHINE_X86_64, "nop", "nop", "jne 1002 <f+0x2>", "ret"), 0);
    assert_int_equal(FIND(MACHINE_X86_64, "nop", "call 1000 <f>", "ret"), 0);
}

TEST(arm_has_other_branches)
{
    static const char *const ends[] = {"b.ne 1004 <f+0x4>  // b.any", "b.ne 0x1004 <f+0x4>",
                                       "cbnz x0, 1004 <f+0x4>", "tbz w0, #3, 1004 <f+0x4>",
                                       "b 0x1004 <f+0x4>"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        assert_int_equal(FIND(MACHINE_ARM64, "mov x1, #0x0", "fmla v0.4s, v1.4s, v2.4s",
                              "bl 2000 <g>", ends[i], "ret"),
                         1);
        assert_int_equal(loops[0].first, 1);
        assert_int_equal(loops[0].width, 128);
        assert_int_equal(loops[0].calls, 1);
    }
    assert_int_equal(FIND(MACHINE_ARM64, "nop", "bl 1000 <f>", "bic x0, x1, x2", "ret"), 0);
}

TEST(nests_have_depths_and_one_head_is_one_loop)
{
    size_t n = FIND(MACHINE_X86_64, "nop", "nop", "vaddps %ymm0,%ymm1,%ymm1", "jne 1008 <f+0x8>",
                    "jne 1004 <f+0x4>", "nop", "je 1004 <f+0x4>", "jmp 1000 <f>", "ret");
    assert_int_equal(n, 3);
    assert_int_equal(loops[0].last, 7);
    assert_int_equal(loops[1].first, 1);
    assert_int_equal(loops[1].last, 6);
    assert_int_equal(loops[2].depth, 3);
    assert_int_equal(loops[2].width, 256);
    assert_true(loops[2].innermost && !loops[1].innermost && !loops[0].innermost);
    assert_int_equal(loops_hottest(loops, n), 2);
}

/* Code that is seldom run stands behind the function's end and jumps back into it. */
TEST(a_jump_back_from_behind_the_end_is_no_loop)
{
    assert_int_equal(FIND(MACHINE_X86_64, "test %rdi,%rdi", "je 1010 <f+0x10>", "add $0x1,%eax",
                          "ret", "mov $0x3,%eax", "jmp 1008 <f+0x8>"),
                     0);
    /* with a way from the head it is one */
    assert_int_equal(FIND(MACHINE_X86_64, "test %rdi,%rdi", "nop", "je 1010 <f+0x10>", "ret",
                          "mov $0x3,%eax", "jmp 1004 <f+0x4>"),
                     1);
}

TEST(samples_come_before_depth)
{
    size_t n = FIND(MACHINE_X86_64, "nop", "jne 1000 <f>", "nop", "vaddps %zmm0,%zmm1,%zmm1", "nop",
                    "jne 100c <f+0xc>", "jne 1008 <f+0x8>", "ret");
    assert_int_equal(n, 3);
    assert_int_equal(loops_hottest(loops, n), 2);
    loops_weigh(loops, n, &code, 0x1004, 10);
    loops_weigh(loops, n, &code, 0x1014, 3);
    loops_weigh(loops, n, &code, 0x101c, 100); /* in none */
    assert_int_equal(loops[0].samples, 10);
    assert_int_equal(loops[1].samples, 3);
    assert_int_equal(loops[2].samples, 3);
    assert_int_equal(loops_hottest(loops, n), 0);
    assert_int_equal(loops_hottest(loops, 0), 0);
}

TEST(lines_are_what_an_assembler_takes)
{
    static const struct {
        enum code_machine machine;
        const char *text, *line; /* NULL: it is refused */
    } cases[] = {
        {MACHINE_X86_64, "vmovupd (%rsi,%rcx,1),%ymm1", "vmovupd (%rsi,%rcx,1),%ymm1"},
        {MACHINE_X86_64, "jne 30 <axpy+0x30>", "jne .Lrooftop"},
        {MACHINE_X86_64, "jne 0x30", "jne .Lrooftop"},
        {MACHINE_X86_64, "call 1030 <puts@plt>", "call .Lrooftop"},
        {MACHINE_X86_64, "lea 0xe2c(%rip),%rdi # 2004 <x+0x4>", "lea 0xe2c(%rip),%rdi"},
        {MACHINE_X86_64, "mov %fs:0x28,%rax", "mov %fs:0x28,%rax"},
        {MACHINE_X86_64, "rep stos %al,%es:(%rdi)", "rep stos %al,%es:(%rdi)"},
        {MACHINE_X86_64, "nopw 0x0(%rax,%rax,1)", "nop"},
        {MACHINE_X86_64, "data16 cs nopw 0x0(%rax,%rax,1)", "nop"},
        {MACHINE_X86_64, "xchg %ax,%ax", "nop"},
        {MACHINE_X86_64, "vaddpd %zmm0,%zmm1,%zmm2{%k1}{z}", "vaddpd %zmm0,%zmm1,%zmm2{%k1}{z}"},
        {MACHINE_X86_64, "(bad)", NULL},
        {MACHINE_X86_64, ".byte 0x62", NULL},
        {MACHINE_X86_64, ".incbin \"/etc/passwd\"", NULL},
        {MACHINE_X86_64, "nop: .rept 99999999", NULL},
        {MACHINE_X86_64, "nop ; .rept 99999999", "nop"}, /* what follows is dropped */
        {MACHINE_X86_64, "inc %eax ; .rept 99999999", NULL},
        {MACHINE_X86_64, "x = 3", NULL},
        {MACHINE_X86_64, "mov $foo@GOT,%eax", NULL},
        {MACHINE_ARM64, "add x3, x3, #16", "add x3, x3, #16"},
        {MACHINE_ARM64, "ldr q1, [x0, x3]", "ldr q1, [x0, x3]"},
        {MACHINE_ARM64, "ldr x0, [x1], #8", "ldr x0, [x1], #8"},
        {MACHINE_ARM64, "b.ne 28 <axpy+0x28>  // b.any", "b.ne .Lrooftop"},
        {MACHINE_ARM64, "adrp x0, 11000 <x>", "adrp x0, .Lrooftop"},
        {MACHINE_ARM64, ".inst 0x00000000 ; undefined", NULL},
        {MACHINE_ARM64, "isb #.include", NULL},
    };
    char out[LOOP_LINE_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool good = loop_line(cases[i].text, cases[i].machine, out);
        if (good != (cases[i].line != NULL) || (good && strcmp(out, cases[i].line) != 0))
            fail_msg("%s: %s", cases[i].text, good ? out : "refused");
    }
    char longer[400];
    memset(longer, 'a', sizeof longer);
    longer[399] = '\0';
    assert_false(loop_line(longer, MACHINE_X86_64, out));
}

/* Whatever a file makes a disassembler write: one statement, no directive, no string, no label. */
TEST(no_text_becomes_a_directive)
{
    static const char letters[] = "ab.rept:;\"\n#/\\%$ (),{}x0<>=@*'!|&~\t";
    char text[64], out[LOOP_LINE_MAX];
    size_t taken = 0;
    srand(7);
    for (int round = 0; round < 300000; round++) {
        size_t n = 1 + (size_t)rand() % 40;
        for (size_t i = 0; i < n; i++)
            text[i] = rand() % 50 ? letters[(size_t)rand() % (sizeof letters - 1)]
                                  : (char)(1 + rand() % 255);
        text[n] = '\0';
        if (!loop_line(text, round % 2 ? MACHINE_X86_64 : MACHINE_ARM64, out))
            continue;
        taken++;
        assert_true(islower((unsigned char)*out));
        assert_null(strpbrk(out, ";\"\n=\\<>@|&~'/\t"));
        for (const char *p = out; (p = strchr(p, ':')); p++)
            assert_true(p - out >= 3 && p[-3] == '%' && p[-1] == 's');
    }
    assert_true(taken > 100);
}

/* As large as code is read, each row a branch back: to the first row, to the row before, or far; or
 * pairs of rows with a loop each. */
TEST(code_made_of_branches_ends)
{
    enum { MANY = 1 << 17 };
    struct disassembly_row *many = calloc(MANY, sizeof *many);
    char(*texts)[32] = calloc(MANY, sizeof *texts);
    for (int way = 0; way < 4; way++) {
        for (uint64_t i = 0; i < MANY; i++) {
            uint64_t to = way == 0 ? 0 : way == 1 ? i - (i > 0) : way == 2 ? i / 2 : i - i % 2;
            snprintf(texts[i], sizeof texts[i], "jne %lx <f>", 0x1000 + 4 * to);
            many[i] = (struct disassembly_row){.address = 0x1000 + 4 * i, .text = texts[i]};
        }
        code = (struct disassembly){.rows = many, .n = MANY};
        size_t n = loops_find(&code, MACHINE_X86_64, loops);
        assert_true(n >= 1 && n <= LOOPS_MAX);
        if (way == 3) /* the first ones are kept */
            assert_true(n == LOOPS_MAX && loops[n - 1].first == 2 * (LOOPS_MAX - 1));
        assert_true(loops_hottest(loops, n) < n);
    }
    free(many);
    free(texts);
}
