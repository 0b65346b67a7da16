/* The way into each call of a sandbox, and out of it. */
#include "backends/judge/sandbox_turns.h"

#include <sys/syscall.h>

#if SANDBOX_TURNS_CLEAN

/*
 * The own stack is cleared behind the word before anything else is done, flags and registers are,
 * too: who jumps to the instruction that reads words comes to the next call with nothing that it
 * had. The word stands at the end of the stack, and before it where sandbox_enter finds back.
 */
__asm__(".text\n"
        ".globl sandbox_turns\n"
        "sandbox_turns:\n\t"
        "mov sandbox_own_top(%rip), %rsp\n\t"
        "sub $32, %rsp\n\t"
        "call sandbox_begin\n"
        "1:\tmov sandbox_own_top(%rip), %rsp\n\t"
        "lea -16(%rsp), %rsi\n\t"
        "mov $5, %edi\n\t" /* SANDBOX_WORDS */
        "mov $16, %edx\n\t"
        "xor %eax, %eax\n\t" /* read */
        "syscall\n"
        ".globl sandbox_read_at\n"
        "sandbox_read_at:\n\t"
        "mov sandbox_own_top(%rip), %rsp\n\t"
        "sub $16, %rsp\n\t"
        "mov %rax, %rbx\n\t"
        "pushq $2\n\t"
        "popfq\n\t"
        "lea -8176(%rsp), %rdi\n\t" /* SANDBOX_OWN_STACK without the word */
        "mov $1022, %ecx\n\t"
        "xor %eax, %eax\n\t"
        "rep stosq\n\t"
        "mov %rbx, %rsi\n\t"
        "mov %rsp, %rdi\n\t"
        "sub $16, %rsp\n\t"
        "xor %ebx, %ebx\n\t"
        "xor %ebp, %ebp\n\t"
        "xor %edx, %edx\n\t"
        "xor %r8d, %r8d\n\t"
        "xor %r9d, %r9d\n\t"
        "xor %r10d, %r10d\n\t"
        "xor %r11d, %r11d\n\t"
        "xor %r12d, %r12d\n\t"
        "xor %r13d, %r13d\n\t"
        "xor %r14d, %r14d\n\t"
        "xor %r15d, %r15d\n\t"
        "call sandbox_turn\n\t"
        "jmp 1b\n"
        ".globl sandbox_protect\n"
        "sandbox_protect:\n\t"
        "mov $10, %eax\n\t" /* mprotect */
        "syscall\n"
        ".globl sandbox_protect_at\n"
        "sandbox_protect_at:\n\t"
        "ret\n"
        ".globl sandbox_advise\n"
        "sandbox_advise:\n\t"
        "mov $28, %eax\n\t" /* madvise */
        "syscall\n"
        ".globl sandbox_advise_at\n"
        "sandbox_advise_at:\n\t"
        "ret\n"
        ".globl sandbox_advise_all\n"
        "sandbox_advise_all:\n\t"
        "mov $440, %eax\n\t" /* process_madvise */
        "mov %rcx, %r10\n\t"
        "xor %r8d, %r8d\n\t"
        "syscall\n"
        ".globl sandbox_advise_all_at\n"
        "sandbox_advise_all_at:\n\t"
        "ret\n"
        ".globl sandbox_usage\n"
        "sandbox_usage:\n\t"
        "mov $98, %eax\n\t" /* getrusage */
        "mov %rdi, %rsi\n\t"
        "mov $1, %edi\n\t" /* RUSAGE_THREAD */
        "syscall\n"
        ".globl sandbox_usage_at\n"
        "sandbox_usage_at:\n\t"
        "ret\n"
        ".globl sandbox_number\n"
        "sandbox_number:\n\t"
        "mov $8, %eax\n\t" /* lseek */
        "mov %rsi, %rdx\n\t"
        "mov %rdi, %rsi\n\t"
        "mov $6, %edi\n\t" /* SANDBOX_IMAGE */
        "syscall\n"
        ".globl sandbox_number_at\n"
        "sandbox_number_at:\n\t"
        "ret\n"
        ".globl sandbox_enter\n"
        "sandbox_enter:\n\t"
        "push %rbp\n\t"
        "push %rbx\n\t"
        "push %r12\n\t"
        "push %r13\n\t"
        "push %r14\n\t"
        "push %r15\n\t"
        "mov sandbox_own_top(%rip), %rax\n\t"
        "mov %rsp, -32(%rax)\n\t"
        "mov sandbox_call_top(%rip), %rsp\n\t"
        "mov %rdi, %rax\n\t"
        "mov %rsi, %rdi\n\t"
        "call *%rax\n\t"
        "cld\n\t"
        "mov sandbox_own_top(%rip), %rax\n\t"
        "mov -32(%rax), %rsp\n\t"
        "pop %r15\n\t"
        "pop %r14\n\t"
        "pop %r13\n\t"
        "pop %r12\n\t"
        "pop %rbx\n\t"
        "pop %rbp\n\t"
        "ret\n");

#else

const char sandbox_read_at[1], sandbox_protect_at[1];

void sandbox_turns(void)
{
    struct sandbox_word w = {0};
    sandbox_begin();
    for (;;)
        sandbox_turn(&w, sandbox_system(SYS_read, SANDBOX_WORDS, (long)&w, sizeof w));
}

long sandbox_protect(char *at, size_t n, int how)
{
    (void)at, (void)n, (void)how;
    return 0;
}

void sandbox_enter(void (*fn)(void *ctx), void *ctx)
{
    fn(ctx);
}

int sandbox_clean_open(void)
{
    return 0;
}

int sandbox_clean_take(void)
{
    return 0;
}

int sandbox_clean_hold(void)
{
    return 0;
}

bool sandbox_clean(bool always)
{
    return always;
}

bool sandbox_clean_is_clock(uint64_t address)
{
    (void)address;
    return false;
}

#endif
