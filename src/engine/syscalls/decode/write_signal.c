/* Signals: sets, actions, siginfo. */
#include "engine/syscalls/decode/decode_impl.h"
#include "engine/syscalls/decode/types.h"

#include <signal.h>

#define VALUE (d->e->args[arg])

/* Writes names without SIG; a set of more than two thirds of all as its complement: ~[CHLD]. */
static void emit_signal_set(struct decoder *d, uint64_t set, unsigned bytes)
{
    unsigned all = bytes * 8, n = (unsigned)__builtin_popcountll(set);
    const char *between = "";
    bool complement = n >= all * 2 / 3;
    if (complement)
        set = ~set;
    emit(d, complement ? "~[" : "[");
    for (unsigned i = 1; i <= all; i++) {
        if (!(set >> (i - 1) & 1))
            continue;
        emit(d, "%s%s", between, syscall_signal_name((int)i) + 3);
        between = " ";
    }
    emit_text(d, "]");
}

static void emit_sigset(struct decoder *d, bool when, uint64_t address, uint64_t n)
{
    uint64_t set = 0;
    if (n == sizeof set && take(d, when, address, &set, n))
        emit_signal_set(d, set, (unsigned)n);
    else
        emit_address(d, address);
}

void write_sigset(struct decoder *d, unsigned arg)
{
    emit_sigset(d, AT_ENTRY, VALUE, other(d, arg));
}

void write_sigset_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_sigset(d, AT_RETURN, VALUE, other(d, arg));
    else
        emit_address(d, VALUE);
}

/* pselect6: a structure has the address and the size of the set. */
void write_sigset_pair(struct decoder *d, unsigned arg)
{
    uint64_t pair[2] = {0};
    uint32_t small[2];
    if (pointer_size(d) == 8) {
        if (!take(d, AT_ENTRY, VALUE, pair, sizeof pair)) {
            emit_address(d, VALUE);
            return;
        }
    } else if (take(d, AT_ENTRY, VALUE, small, sizeof small)) {
        pair[0] = small[0];
        pair[1] = small[1];
    } else {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{sigmask=");
    emit_sigset(d, AT_ENTRY, pair[0], pair[1]);
    emit(d, ", sigsetsize=%llu}", (unsigned long long)pair[1]);
}

/* The blocked signals in the frame that the kernel put on the stack for a handler: uc_sigmask of
 * the ucontext in struct rt_sigframe. Source: asm/ucontext.h and asm/sigcontext.h of x86, arm64's
 * kernel/signal.c. */
static uint64_t frame_mask(const struct syscall_event *e)
{
    enum { X86_64_MASK = 296, ARM64_MASK = 128 + 40 };
    if (!e->stack_pointer)
        return 0;
    if (e->abi == SYSCALL_X86_64)
        return e->stack_pointer + X86_64_MASK;
    return e->abi == SYSCALL_ARM64 ? e->stack_pointer + ARM64_MASK : 0;
}

bool sigframe_arg_absent(const struct decoder *d, unsigned arg)
{
    (void)arg;
    return !frame_mask(d->e);
}

void write_sigframe(struct decoder *d, unsigned arg)
{
    (void)arg;
    emit_text(d, "{mask=");
    emit_sigset(d, AT_ENTRY, frame_mask(d->e), sizeof(uint64_t));
    emit_text(d, "}");
}

/* struct sigaction of the kernel: handler, flags, restorer, mask. All ABIs have these four; the
 * mask has 8 bytes. Source: asm/signal.h, asm-generic/signal.h. */
static void emit_sigaction(struct decoder *d, bool when, uint64_t address)
{
    unsigned size = pointer_size(d);
    uint64_t handler = 0, flags = 0, restorer = 0, mask;
    if (!take(d, when, address, &handler, size) || !take(d, when, address + size, &flags, size) ||
        !take(d, when, address + 2 * size, &restorer, size) ||
        !take(d, when, address + 3 * size, &mask, 8)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "{sa_handler=");
    if (handler > 1)
        emit_address(d, handler);
    else
        emit(d, "%s", handler ? "SIG_IGN" : "SIG_DFL");
    emit_text(d, ", sa_mask=");
    emit_signal_set(d, mask, 8);
    emit_text(d, ", sa_flags=");
    emit_flags(d, &constants_sa_flags, (uint32_t)flags);
    if (flags & 0x04000000) { /* SA_RESTORER */
        emit_text(d, ", sa_restorer=");
        emit_address(d, restorer);
    }
    emit_text(d, "}");
}

/* Reads the structure at once, so that it is one piece. */
static bool whole_sigaction(struct decoder *d, bool when, uint64_t address)
{
    size_t n = 3 * pointer_size(d) + 8, got = 0;
    return look(d, when, address, n, &got) && got == n;
}

void write_sigaction(struct decoder *d, unsigned arg)
{
    if (whole_sigaction(d, AT_ENTRY, VALUE))
        emit_sigaction(d, AT_ENTRY, VALUE);
    else
        emit_address(d, VALUE);
}

void write_sigaction_out(struct decoder *d, unsigned arg)
{
    if (has_result(d) && whole_sigaction(d, AT_RETURN, VALUE))
        emit_sigaction(d, AT_RETURN, VALUE);
    else
        emit_address(d, VALUE);
}

static const struct constants *codes_of(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return &constants_si_codes_segv;
    case SIGCHLD:
        return &constants_si_codes_chld;
    case SIGFPE:
        return &constants_si_codes_fpe;
    case SIGILL:
        return &constants_si_codes_ill;
    case SIGBUS:
        return &constants_si_codes_bus;
    case SIGTRAP:
        return &constants_si_codes_trap;
    case SIGSYS:
        return &constants_si_codes_sys;
    case SIGIO:
        return &constants_si_codes_poll;
    default:
        return NULL;
    }
}

void emit_si_code(struct decoder *d, int signal, int code)
{
    const struct constants *own = code > 0 && code != SI_KERNEL ? codes_of(signal) : NULL;
    const char *name = constant_name(&constants_si_codes, (uint64_t)(int64_t)code);
    if (own)
        name = constant_name(own, (uint64_t)code);
    if (name)
        emit(d, "%s", name);
    else
        emit(d, "%#x", (unsigned)code);
}

static void emit_sigval(struct decoder *d, int32_t number, uint64_t pointer)
{
    emit(d, "si_int=%d, si_ptr=", number);
    emit_address(d, pointer);
}

static bool from_kernel_fault(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
           signal == SIGTRAP;
}

/* Writes the call that a filter refused. Source: linux/audit.h, AUDIT_ARCH_*. */
static void emit_refused_call(struct decoder *d, int number, unsigned arch)
{
    static const struct {
        unsigned arch;
        enum syscall_abi abi;
        const char *name;
    } list[] = {{0xc000003e, SYSCALL_X86_64, "AUDIT_ARCH_X86_64"},
                {0x40000003, SYSCALL_I386, "AUDIT_ARCH_I386"},
                {0xc00000b7, SYSCALL_ARM64, "AUDIT_ARCH_AARCH64"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].arch == arch) {
            const bool known = syscall_find(list[i].abi, (uint32_t)number);
            emit(d, known ? ", si_syscall=__NR_%s" : ", si_syscall=%s",
                 syscall_name(list[i].abi, (uint32_t)number));
            emit(d, ", si_arch=%s", list[i].name);
            return;
        }
    emit(d, ", si_syscall=%d, si_arch=%#x", number, arch);
}

static void emit_sender(struct decoder *d, const siginfo_t *s)
{
    emit_text(d, ", si_pid=");
    emit_task(d, s->si_pid);
    emit_text(d, ", si_uid=");
    emit_user(d, s->si_uid);
}

/* Writes the members after si_signo and si_code, which depend on these. Source:
 * asm-generic/siginfo.h, 64-bit layout. */
static void emit_siginfo_fields(struct decoder *d, const siginfo_t *s)
{
    if (s->si_signo == SIGCHLD && s->si_code > 0 && s->si_code != SI_KERNEL) {
        emit_sender(d, s);
        emit_text(d, ", si_status=");
        if (s->si_code == CLD_EXITED)
            emit_number(d, s->si_status);
        else
            emit_signal(d, s->si_status);
        emit(d, ", si_utime=%lld, si_stime=%lld", (long long)s->si_utime, (long long)s->si_stime);
    } else if (s->si_code == SI_TIMER) {
        emit(d, ", si_timerid=%#x, si_overrun=%d, ", (unsigned)s->si_timerid, s->si_overrun);
        emit_sigval(d, s->si_int, (uint64_t)(uintptr_t)s->si_ptr);
    } else if (from_kernel_fault(s->si_signo) && s->si_code > 0 && s->si_code != SI_KERNEL) {
        emit_text(d, ", si_addr=");
        emit_address(d, (uint64_t)(uintptr_t)s->si_addr);
    } else if (s->si_signo == SIGSYS && s->si_code > 0 && s->si_code != SI_KERNEL) {
        if (s->si_errno)
            emit(d, ", si_errno=%d", s->si_errno);
        emit_text(d, ", si_call_addr=");
        emit_address(d, (uint64_t)(uintptr_t)s->si_call_addr);
        emit_refused_call(d, s->si_syscall, s->si_arch);
    } else if (s->si_code <= 0) {
        emit_sender(d, s);
        if (s->si_code == SI_QUEUE || s->si_code == SI_MESGQ) {
            emit_text(d, ", ");
            emit_sigval(d, s->si_int, (uint64_t)(uintptr_t)s->si_ptr);
        }
    }
}

void emit_siginfo(struct decoder *d, bool when, uint64_t address)
{
    siginfo_t s;
    _Static_assert(sizeof s == 128, "the kernel's size");
    if (pointer_size(d) != 8 || !take(d, when, address, &s, sizeof s)) {
        emit_address(d, address);
        return;
    }
    if (!s.si_signo && !s.si_code) {
        emit_text(d, "{}");
        return;
    }
    emit_text(d, "{si_signo=");
    emit_signal(d, s.si_signo);
    emit_text(d, ", si_code=");
    emit_si_code(d, s.si_signo, s.si_code);
    emit_siginfo_fields(d, &s);
    emit_text(d, "}");
}

void write_siginfo(struct decoder *d, unsigned arg)
{
    emit_siginfo(d, AT_ENTRY, VALUE);
}

void write_siginfo_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_siginfo(d, AT_RETURN, VALUE);
    else
        emit_address(d, VALUE);
}

void write_sigevent(struct decoder *d, unsigned arg)
{
    struct {
        uint64_t value;
        int32_t signal, notify;
        int32_t tid, spare;
        uint8_t rest[40];
    } s;
    _Static_assert(sizeof s == 64, "the kernel's size");
    if (pointer_size(d) != 8 || !take(d, AT_ENTRY, VALUE, &s, sizeof s)) {
        emit_address(d, VALUE);
        return;
    }
    bool signals = s.notify != SIGEV_NONE;
    emit_text(d, "{");
    if (s.value) {
        emit(d, "sigev_value={sival_int=%d, sival_ptr=", (int32_t)s.value);
        emit_address(d, s.value);
        emit_text(d, "}, ");
    }
    emit_text(d, "sigev_signo=");
    if (signals)
        emit_signal(d, s.signal);
    else
        emit_unsigned(d, (unsigned)s.signal);
    emit_text(d, ", sigev_notify=");
    emit_constant(d, &constants_sigev_notify, (uint32_t)s.notify);
    if (s.notify == SIGEV_THREAD_ID)
        emit(d, ", sigev_notify_thread_id=%d", s.tid);
    emit_text(d, "}");
}

static void emit_stack(struct decoder *d, bool when, uint64_t address)
{
    struct {
        uint64_t sp;
        int32_t flags, spare;
        uint64_t size;
    } s;
    if (pointer_size(d) != 8 || !take(d, when, address, &s, sizeof s)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "{ss_sp=");
    emit_address(d, s.sp);
    emit_text(d, ", ss_flags=");
    emit_flags(d, &constants_ss_flags, (uint32_t)s.flags);
    emit(d, ", ss_size=%llu}", (unsigned long long)s.size);
}

void write_stack(struct decoder *d, unsigned arg)
{
    emit_stack(d, AT_ENTRY, VALUE);
}

void write_stack_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_stack(d, AT_RETURN, VALUE);
    else
        emit_address(d, VALUE);
}
