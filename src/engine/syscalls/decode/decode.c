#include "engine/syscalls/decode/decode.h"

#include <sys/wait.h>

#include "engine/syscalls/decode/decode_impl.h"
#include "engine/syscalls/decode/types.h"

static struct decoder decoder_of(struct line *out, const struct syscall_event *e,
                                 const struct syscall_context *context)
{
    return (struct decoder){
        .out = out,
        .e = e,
        .call = e->kind == SYSCALL_CALL || e->kind == SYSCALL_ENTRY
                    ? syscall_find(e->abi, e->number)
                    : NULL,
        .context = context,
    };
}

static void write_call_arg(struct decoder *d, unsigned arg)
{
    const struct type *type = type_of(d, arg);
    if (d->e->flags & SYSCALL_NO_ENTRY) /* the argument is not known */
        emit_text(d, "?");
    else if (type)
        type->write(d, arg);
    else if (arg < 6)
        emit_hex(d, d->e->args[arg]);
}

void syscall_write_arg(FILE *out, const struct syscall_event *e, unsigned arg,
                       const struct syscall_context *context)
{
    struct line line;
    line_start(&line, out);
    struct decoder d = decoder_of(&line, e, context);
    write_call_arg(&d, arg);
    line_flush(&line);
}

/* clone: the order of its arguments differs between ABIs, and some exist only with some flags, so
 * they are written with their names. Source: clone(2), "C library/kernel differences". */
static void write_clone(struct decoder *d)
{
    enum {
        PARENT_SETTID = 0x00100000,
        PIDFD = 0x1000,
        SETTLS = 0x00080000,
        CHILD_TID = 0x01200000
    };
    bool tls_last = d->e->abi == SYSCALL_X86_64 || d->e->abi == SYSCALL_X32;
    uint64_t flags = d->e->args[0];
    emit_text(d, "child_stack=");
    emit_address(d, d->e->args[1]);
    emit_text(d, ", flags=");
    write_call_arg(d, 0);
    if (flags & (PARENT_SETTID | PIDFD)) {
        emit_text(d, ", parent_tid=");
        write_call_arg(d, 2);
    }
    if (flags & SETTLS) {
        emit_text(d, ", tls=");
        emit(d, "%#llx", (unsigned long long)d->e->args[tls_last ? 4 : 3]);
    }
    if (flags & CHILD_TID) {
        emit_text(d, ", child_tidptr=");
        emit_address(d, d->e->args[tls_last ? 3 : 4]);
    }
}

static void write_args(struct decoder *d)
{
    if (d->e->flags & SYSCALL_NO_ENTRY) {
        emit_text(d, d->call && d->call->nargs == 0 ? "" : "?");
        return;
    }
    if (d->call && d->call->nargs && d->call->args[0].type == SYSCALL_TYPE_clone_flags) {
        write_clone(d);
        return;
    }
    unsigned n = d->call ? d->call->nargs : 6;
    bool first = true;
    for (unsigned arg = 0; arg < n; arg++) {
        if (d->call && arg_absent(d, arg))
            continue;
        if (!first)
            emit_text(d, ", ");
        write_call_arg(d, arg);
        first = false;
    }
}

void syscall_write_args(FILE *out, const struct syscall_event *e,
                        const struct syscall_context *context)
{
    struct line line;
    line_start(&line, out);
    struct decoder d = decoder_of(&line, e, context);
    write_args(&d);
    line_flush(&line);
}

bool syscall_arg_shown(const struct syscall_event *e, unsigned arg)
{
    struct decoder d = decoder_of(NULL, e, NULL);
    return !d.call || (arg < d.call->nargs && !arg_absent(&d, arg));
}

/* +++ exited with 1 +++ */
static void write_exit(struct decoder *d)
{
    int status = (int)d->e->result;
    if (d->e->result < 0)
        emit_text(d, "+++ exited +++");
    else if (WIFSIGNALED(status)) {
        emit_text(d, "+++ killed by ");
        emit_signal(d, WTERMSIG(status));
        emit(d, WCOREDUMP(status) ? " (core dumped) +++" : " +++");
    } else
        emit(d, "+++ exited with %d +++", WEXITSTATUS(status));
}

/* --- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=NULL} --- */
static void write_signal_event(struct decoder *d)
{
    const struct syscall_event *e = d->e;
    size_t n = 0;
    emit_text(d, "--- ");
    emit_signal(d, e->result);
    emit_text(d, " ");
    if (syscall_kept(e, 0, false, &n, NULL) && n == 128) { /* the whole siginfo_t */
        emit_siginfo(d, AT_ENTRY, 0);
    } else {
        int code = (int)e->args[0];
        emit_text(d, "{si_signo=");
        emit_signal(d, e->result);
        emit_text(d, ", si_code=");
        emit_si_code(d, (int)e->result, code);
        if (e->flags & SYSCALL_NO_ENTRY) /* no more is known */
            emit_text(d, ", ...");
        else if (code <= 0 || e->result == 17 /* SIGCHLD */)
            emit(d, ", si_pid=%d", (int)e->args[1]);
        else if (code != 0x80) { /* SI_KERNEL */
            emit_text(d, ", si_addr=");
            emit_address(d, e->args[2]);
        }
        emit_text(d, "}");
    }
    emit_text(d, " ---");
}

static void write_other(struct decoder *d)
{
    const struct syscall_event *e = d->e;
    switch (e->kind) {
    case SYSCALL_START:
        emit(d, "+++ started by %d +++", e->parent);
        break;
    case SYSCALL_EXEC:
        if (e->args[0] && (int32_t)e->args[0] != e->tid)
            emit(d, "+++ superseded by execve in pid %d +++", (int)e->args[0]);
        break;
    case SYSCALL_EXIT:
        write_exit(d);
        break;
    case SYSCALL_SIGNAL:
        write_signal_event(d);
        break;
    case SYSCALL_STOP:
        emit_text(d, "--- stopped by ");
        emit_signal(d, e->result);
        emit_text(d, " ---");
        break;
    case SYSCALL_LOST:
        if (e->args[0])
            emit(d, "+++ %llu calls lost +++", (unsigned long long)e->args[0]);
        else
            emit_text(d, "+++ calls lost +++");
        break;
    default:
        break;
    }
}

static void write_decoded_call(struct decoder *d)
{
    emit_text(d, syscall_name(d->e->abi, d->e->number));
    emit_text(d, "(");
    write_args(d);
    if (d->e->kind == SYSCALL_ENTRY) {
        emit_text(d, " <unfinished ...>");
        return;
    }
    emit_text(d, ") = ");
    emit_result(d);
}

void syscall_write(FILE *out, const struct syscall_event *e, const struct syscall_context *context)
{
    struct line line;
    line_start(&line, out);
    struct decoder d = decoder_of(&line, e, context);
    if (e->kind == SYSCALL_CALL || e->kind == SYSCALL_ENTRY)
        write_decoded_call(&d);
    else
        write_other(&d);
    line_flush(&line);
}
