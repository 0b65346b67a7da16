#include "backends/ptrace/call_stacks.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "backends/unwind/cfi.h"
#include "backends/unwind/maps.h"
#include "backends/unwind/names.h"
#include "backends/unwind/unwind.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/roles.h"

enum {
    PAGE = 4096, /* bytes of memory to read at once; any size works */
    PAGES = 8,
    NAMED_MAX = 65536, /* limit of stacks that are remembered by their addresses */
    NAMES_BYTES_MAX = 128 << 20,
    LOOK_EVERY = 64, /* stacks */
    MAY_EXECUTE = 4, /* PROT_EXEC; <sys/mman.h> and maps.h both define MAP_FILE */
};

/* A copy of memory of the stopped task. */
struct memory_page {
    uint64_t at;
    size_t n;
    bool read;
    uint8_t bytes[PAGE];
};

/* A stack whose frames already have names. */
struct named_stack {
    XXH128_hash_t addresses; /* hash of the process, its mappings and the addresses */
    const struct syscall_stack *stack;
    uint64_t until_ns;
};

struct call_stacks {
    size_t depth;
    struct process_maps *maps;
    struct symtab table;
    pthread_mutex_t lock; /* required by the table; no other thread uses it */
    struct frame_names *names;
    struct cfi *cfi;
    struct syscall_stacks *stacks;
    struct named_stack *named;
    size_t nnamed;
    struct hash_table by_addresses;
    uint64_t generation; /* number of changes of mappings */
    unsigned looked;     /* number of stacks so far */
    uint64_t foreign;
    struct unwound unwound[SYSCALL_FRAMES_MAX];
    struct syscall_frame frames[SYSCALL_FRAMES_MAX];
    const struct tracee *task; /* the task whose memory the pages are */
    struct memory_page pages[PAGES];
};

struct call_stacks *call_stacks_new(struct syscall_stacks *kept, size_t depth)
{
    struct call_stacks *c = xcalloc(1, sizeof *c);
    c->depth = depth < SYSCALL_FRAMES_MAX ? depth : SYSCALL_FRAMES_MAX;
    pthread_mutex_init(&c->lock, NULL);
    c->maps = maps_new();
    c->cfi = cfi_new();
    c->names =
        names_new(&(struct names_shared){.table = &c->table, .lock = &c->lock, .maps = c->maps});
    c->stacks = kept;
    c->named = xcalloc(NAMED_MAX, sizeof *c->named);
    return c;
}

void call_stacks_free(struct call_stacks *c)
{
    if (!c)
        return;
    names_free(c->names);
    cfi_free(c->cfi);
    maps_free(c->maps);
    symtab_free(&c->table);
    pthread_mutex_destroy(&c->lock);
    hash_table_free(&c->by_addresses);
    free(c->named);
    free(c);
}

uint64_t call_stacks_foreign(const struct call_stacks *c)
{
    return c->foreign;
}

/* --- registers and memory --- */

/* false if the program is not a 64-bit one. */
static bool read_registers(const struct tracee *task, struct cfi_state *s)
{
    struct user_regs_struct regs;
    struct iovec to = {&regs, sizeof regs};
    if (task->call.abi == SYSCALL_X32 ||
        ptrace(PTRACE_GETREGSET, task->tid, NT_PRSTATUS, &to) != 0 || to.iov_len != sizeof regs)
        return false;
#if defined(__aarch64__)
    for (int i = 0; i < 31; i++)
        s->reg[i] = regs.regs[i];
    s->reg[CFI_SP] = regs.sp;
    s->reg[CFI_PC] = regs.pc;
#else
    /* In the order of DWARF's numbers (psABI, figure 3.36). */
    const unsigned long long list[CFI_REGS] = {
        regs.rax, regs.rdx, regs.rcx, regs.rbx, regs.rsi, regs.rdi, regs.rbp, regs.rsp, regs.r8,
        regs.r9,  regs.r10, regs.r11, regs.r12, regs.r13, regs.r14, regs.r15, regs.rip};
    for (int i = 0; i < CFI_REGS; i++)
        s->reg[i] = list[i];
#endif
    s->known = (1ull << CFI_REGS) - 1;
    return true;
}

static struct memory_page *page_of(struct call_stacks *c, uint64_t at)
{
    struct memory_page *p = &c->pages[at / PAGE % PAGES];
    if (p->read && p->at == at)
        return p;
    const long n = tracee_read(c->task, at, p->bytes, sizeof p->bytes);
    p->at = at;
    p->n = n > 0 ? (size_t)n : 0;
    p->read = true;
    return p;
}

/* Reads 8 bytes of the stopped task. Its stack is aligned, so no number crosses two pages. */
static bool read_number(void *ctx, uint64_t address, uint64_t *out)
{
    const size_t in = address % PAGE;
    const struct memory_page *p = page_of(ctx, address - in);
    if (in + sizeof *out > p->n)
        return false;
    memcpy(out, p->bytes + in, sizeof *out);
    return true;
}

/* --- names --- */

/* Drops all names at a limit, because their length and number have none; they are found again. */
static void forget_when_full(struct call_stacks *c)
{
    const bool look = ++c->looked % LOOK_EVERY == 0;
    if (symtab_memory(&c->table) < SYMTAB_BYTES_MAX &&
        (!look || names_memory(c->names) + maps_memory(c->maps) < NAMES_BYTES_MAX))
        return;
    symtab_reset(&c->table);
    maps_reset(c->maps);
    names_reset(c->names);
    cfi_reset(c->cfi);
    c->generation++;
}

static struct syscall_frame frame_of(const struct call_stacks *c, const struct names_answer *a,
                                     size_t level)
{
    const struct hot_symbol *s = &c->table.symbols[a->levels[level].symbol];
    const bool named = s->where != HOT_UNKNOWN;
    return (struct syscall_frame){
        .function = named ? s->name : "",
        .module = s->path[0] ? s->path : s->module,
        .file = a->levels[level].file,
        .line = a->levels[level].line,
        .address = a->address,
        .offset = named && s->address && a->address >= s->address ? a->address - s->address : 0,
        .inlined = s->inlined};
}

/* Makes the stack of the addresses. It ends at the first one that is in no mapping, because the
 * rest cannot be trusted. */
static const struct syscall_stack *name_stack(struct call_stacks *c, pid_t pid, size_t n,
                                              uint64_t now_ns, uint64_t *until_ns)
{
    size_t used = 0;
    bool cut = n == c->depth;
    *until_ns = UINT64_MAX;
    for (size_t i = 0; i < n && used < c->depth; i++) {
        const struct names_query q = {.space = SPACE_USER,
                                      .pid = pid,
                                      .address = c->unwound[i].address,
                                      .caller = !c->unwound[i].exact,
                                      .now_ns = now_ns};
        struct names_answer a;
        if (!names_resolve(c->names, &q, &a))
            break;
        if (a.until_ns < *until_ns)
            *until_ns = a.until_ns;
        for (size_t level = 0; level < a.n && used < c->depth; level++)
            c->frames[used++] = frame_of(c, &a, level);
        cut |= used == c->depth && i + 1 < n;
    }
    return syscall_stacks_add(c->stacks, c->frames, used, cut);
}

static struct named_stack *named_at(struct call_stacks *c, XXH128_hash_t addresses)
{
    HASH_EACH (&c->by_addresses, addresses.low64, i)
        if (XXH128_isEqual(c->named[i].addresses, addresses))
            return &c->named[i];
    if (c->nnamed == NAMED_MAX) {
        hash_table_clear(&c->by_addresses);
        c->nnamed = 0;
    }
    struct named_stack *k = &c->named[c->nnamed];
    *k = (struct named_stack){.addresses = addresses};
    hash_table_add(&c->by_addresses, addresses.low64, c->nnamed++);
    return k;
}

const struct syscall_stack *call_stacks_take(struct call_stacks *c, const struct tracee *task,
                                             bool exact, uint64_t now_ns)
{
    const struct unwinding u = {c->cfi, c->names, c->maps, task->pid, now_ns};
    struct cfi_state s = {.more = read_number, .ctx = c};
    if (!read_registers(task, &s)) {
        c->foreign++;
        return NULL;
    }
    forget_when_full(c);
    c->task = task;
    for (size_t i = 0; i < PAGES; i++)
        c->pages[i].read = false;
    const size_t n = unwind_registers(&u, &s, exact, c->unwound, c->depth);
    const uint64_t seed = hash_number(c->generation, (uint64_t)task->pid);
    const XXH128_hash_t hash = XXH3_128bits_withSeed(c->unwound, n * sizeof *c->unwound, seed);
    struct named_stack *k = named_at(c, hash);
    if (!k->stack || now_ns > k->until_ns)
        k->stack = name_stack(c, task->pid, n, now_ns, &k->until_ns);
    return k->stack;
}

/* --- mappings --- */

static bool is_protect(unsigned abi, uint32_t number)
{
    static int numbers[SYSCALL_ABIS][2];
    static bool known;
    for (unsigned i = 0; i < SYSCALL_ABIS && !known; i++) {
        numbers[i][0] = syscall_number(i, "mprotect");
        numbers[i][1] = syscall_number(i, "pkey_mprotect");
    }
    known = true;
    return abi < SYSCALL_ABIS && ((int)number == numbers[abi][0] || (int)number == numbers[abi][1]);
}

bool call_stacks_must_see(unsigned abi, uint32_t number)
{
    const enum syscall_role role = syscall_duty(abi, number)->role;
    return role == ROLE_MAP || role == ROLE_UNMAP || role == ROLE_REMAP || is_protect(abi, number);
}

void call_stacks_follow(struct call_stacks *c, const struct tracee *task)
{
    const struct tracee_call *call = &task->call;
    bool changed = false;
    if (call->result < 0 && call->result >= -4095)
        return;
    switch (syscall_duty(call->abi, call->number)->role) {
    case ROLE_MAP: /* may replace another mapping */
        changed = (call->args[2] & MAY_EXECUTE) ||
                  maps_touched(c->maps, task->pid, (uint64_t)call->result, call->args[1]);
        break;
    case ROLE_UNMAP:
        changed = maps_touched(c->maps, task->pid, call->args[0], call->args[1]);
        break;
    case ROLE_REMAP:
        changed = maps_touched(c->maps, task->pid, call->args[0], call->args[1]) ||
                  maps_touched(c->maps, task->pid, (uint64_t)call->result, call->args[2]);
        break;
    default:
        changed = is_protect(call->abi, call->number) &&
                  ((call->args[2] & MAY_EXECUTE) ||
                   maps_touched(c->maps, task->pid, call->args[0], call->args[1]));
    }
    if (changed)
        call_stacks_forget(c, task->pid);
}

void call_stacks_forget(struct call_stacks *c, pid_t pid)
{
    maps_exit(c->maps, pid);
    c->generation++;
}

void call_stacks_fork(struct call_stacks *c, pid_t pid, pid_t parent)
{
    maps_fork(c->maps, pid, parent);
}
