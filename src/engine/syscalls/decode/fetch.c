/* Fetches the memory that the decoders of a call's arguments ask for. */
#include "engine/syscalls/decode/fetch.h"

#include "engine/syscalls/decode/decode_impl.h"
#include "engine/syscalls/decode/types.h"

/* Whether the text of the result needs memory too. */
static bool result_reads(const struct decoder *d)
{
    return has_result(d) &&
           (d->call->result == SYSCALL_RESULT_poll || d->call->result == SYSCALL_RESULT_select);
}

/* Whether the argument may be an address; that of rt_sigreturn is on the stack. */
static bool may_arg_point(const struct syscall_event *e, const struct type *type, unsigned arg)
{
    return e->args[arg] || type->write == write_sigframe;
}

void syscall_fetch(const struct syscall_event *e, bool at_return, const struct syscall_memory *m,
                   uint32_t limit, struct syscall_pieces *out)
{
    struct decoder d = {
        .e = e,
        .call = syscall_find(e->abi, e->number),
        .memory = m,
        .pieces = out,
        .limit = limit < SYSCALL_PIECES / 2 ? limit : SYSCALL_PIECES / 2,
        .at_return = at_return,
    };
    if (!d.call)
        return;
    unsigned now = at_return ? RETURN : ENTRY;
    for (unsigned arg = 0; arg < d.call->nargs; arg++) {
        const struct type *type = type_of(&d, arg);
        if (type->when & now && may_arg_point(e, type, arg) && !arg_absent(&d, arg))
            type->write(&d, arg);
    }
    if (at_return && result_reads(&d))
        emit_result(&d);
}
