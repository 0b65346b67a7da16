#include "backends/ptrace/filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>

#include "backends/ptrace/call_stacks.h"
#include "base/list.h"

enum { X32_BIT = 0x40000000, MOST = BPF_MAXINSNS };

struct program {
    struct sock_filter *list;
    size_t n, cap;
};

/* A range of numbers with the same answer, from `from` to the next range. */
struct range {
    uint32_t from;
    bool wanted;
};
struct ranges {
    struct range *list;
    size_t n, cap;
};

static size_t emit_line(struct program *p, struct sock_filter line)
{
    LIST_ROOM(p->list, p->n, p->cap);
    p->list[p->n] = line;
    return p->n++;
}

static void add_number_range(struct ranges *r, uint32_t from, bool wanted)
{
    if (r->n > 0 && r->list[r->n - 1].wanted == wanted)
        return;
    LIST_ADD(r->list, r->n, r->cap, (struct range){from, wanted});
}

static bool is_affinity(unsigned abi, uint32_t number)
{
    return (abi == SYSCALL_X86_64 || abi == SYSCALL_ARM64) &&
           ((int)number == syscall_number(abi, "sched_getaffinity") ||
            (int)number == syscall_number(abi, "sched_setaffinity"));
}

/* Adds the ranges of an ABI. All numbers without a name get the answer of the first of them. */
static void add_abi(struct ranges *r, const struct syscall_filter *calls, unsigned abi,
                    struct filter_also also, uint32_t base)
{
    const uint32_t n = syscall_numbers(abi);
    for (uint32_t i = 0; i <= n; i++)
        add_number_range(r, base + i,
                         syscall_filter_wants(calls, abi, i) || i == SYSCALL_IO_URING_SETUP ||
                             (also.affinity && is_affinity(abi, i)) ||
                             (also.mappings && call_stacks_must_see(abi, i)));
}

/* Emits the search for the number in the accumulator, which is in ranges from..to-1. */
static void emit_range_search(struct program *p, const struct ranges *r, size_t from, size_t to)
{
    if (to - from == 1) {
        const uint32_t answer = r->list[from].wanted ? SECCOMP_RET_TRACE : SECCOMP_RET_ALLOW;
        emit_line(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer));
        return;
    }
    const size_t middle = (from + to) / 2;
    emit_line(p,
              (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, r->list[middle].from, 0, 1));
    const size_t jump = emit_line(p, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 0));
    emit_range_search(p, r, from, middle);
    p->list[jump].k = (uint32_t)(p->n - jump - 1);
    emit_range_search(p, r, middle, to);
}

/* Emits the answer for calls of this architecture. */
static void add_arch(struct program *p, const struct ranges *r, uint32_t arch)
{
    emit_line(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                              offsetof(struct seccomp_data, arch)));
    emit_line(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, arch, 1, 0));
    const size_t jump = emit_line(p, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 0));
    emit_line(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                              offsetof(struct seccomp_data, nr)));
    emit_range_search(p, r, 0, r->n);
    p->list[jump].k = (uint32_t)(p->n - jump - 1);
}

bool filter_make(const struct syscall_filter *calls, struct filter_also also,
                 struct sock_fprog *filter)
{
    static const struct {
        uint32_t arch;
        unsigned abi, second; /* second: for numbers with X32_BIT; SYSCALL_ABIS: none */
    } list[] = {
#if defined(__x86_64__)
        {AUDIT_ARCH_X86_64, SYSCALL_X86_64, SYSCALL_X32},
        {AUDIT_ARCH_I386, SYSCALL_I386, SYSCALL_ABIS},
#else
        {AUDIT_ARCH_AARCH64, SYSCALL_ARM64, SYSCALL_ABIS},
        {AUDIT_ARCH_ARM, SYSCALL_ARM32, SYSCALL_ABIS},
#endif
    };
    struct program p = {0};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct ranges r = {0};
        add_abi(&r, calls, list[i].abi, also, 0);
        if (list[i].second != SYSCALL_ABIS)
            add_abi(&r, calls, list[i].second, (struct filter_also){.mappings = also.mappings},
                    X32_BIT);
        add_arch(&p, &r, list[i].arch);
        free(r.list);
    }
    emit_line(&p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    *filter = (struct sock_fprog){.len = (unsigned short)p.n, .filter = p.list};
    if (p.n <= MOST)
        return true;
    free(p.list);
    return false;
}
