#include "engine/syscalls/decode/decode_impl.h"

#include <fcntl.h>
#include <string.h>

#include <linux/futex.h>
#include <linux/prctl.h>

/* Results that are more than a number: they depend on the operation, or on memory. */

static void emit_poll_result(struct decoder *d)
{
    emit_number(d, d->e->result);
    if (!d->e->result) {
        emit_text(d, " (Timeout)");
        return;
    }
    emit_text(d, " ");
    emit_ready_pollfds(d, d->e->args[0], (uint32_t)d->e->args[1]);
    int64_t left[2];
    if (strncmp(d->call->name, "ppoll", 5) == 0 &&
        take_longs(d, AT_RETURN, d->e->args[2], left, 2)) {
        emit_text(d, ", left ");
        emit_time(d, left[0], left[1], "nsec");
    }
    emit_text(d, ")");
}

/* (in [3], out [4], left {...}) */
static void emit_select_result(struct decoder *d)
{
    static const char *const names[] = {"in ", "out ", "except "};
    const char *between = " (";
    bool nsec = strncmp(d->call->name, "pselect", 7) == 0;
    int64_t left[2];
    emit_number(d, d->e->result);
    if (!d->e->result) {
        emit_text(d, " (Timeout)");
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (emit_ready_fdset(d, d->e->args[1 + i], (int)d->e->args[0], between, names[i]))
            between = ", ";
    }
    if (take_longs(d, AT_RETURN, d->e->args[4], left, 2)) {
        emit(d, "%sleft ", between);
        emit_time(d, left[0], left[1], nsec ? "nsec" : "usec");
        between = ", ";
    }
    emit(d, between[0] == ',' ? ")" : "");
}

static void emit_fcntl_result(struct decoder *d)
{
    int64_t r = d->e->result;
    switch ((int)d->e->args[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        emit_fd(d, (int)r);
        break;
    case F_GETFD:
        emit(d, r ? "%#llx (flags " : "%llu", (unsigned long long)r);
        if (r) {
            emit_flags(d, &constants_fd_flags, (uint64_t)r);
            emit_text(d, ")");
        }
        break;
    case F_GETFL:
        emit(d, "%#llx (flags ", (unsigned long long)r);
        emit_open_flags(d, (uint64_t)r);
        emit_text(d, ")");
        break;
    case 1034: /* F_GET_SEALS */
        emit(d, r ? "%#llx (seals " : "%llu", (unsigned long long)r);
        if (r) {
            emit_flags(d, &constants_seals, (uint64_t)r);
            emit_text(d, ")");
        }
        break;
    case 1025: /* F_GETLEASE */
        emit(d, "%#llx (", (unsigned long long)r);
        emit_constant(d, &constants_lock_types, (uint64_t)r);
        emit_text(d, ")");
        break;
    case 11: /* F_GETSIG */
        emit_number(d, r);
        if (r) {
            emit_text(d, " (");
            emit_signal(d, r);
            emit_text(d, ")");
        }
        break;
    default:
        emit_number(d, r);
    }
}

static void emit_prctl_result(struct decoder *d)
{
    uint64_t r = (uint64_t)d->e->result;
    const struct constants *names = NULL;
    bool flags = false;
    switch ((int)d->e->args[0]) {
    case PR_GET_DUMPABLE:
        names = &constants_dumpable;
        break;
    case PR_GET_SECUREBITS:
        names = &constants_securebits;
        flags = true;
        break;
    default:
        break;
    }
    emit(d, flags ? "%#llx" : "%lld", (long long)r);
    if (!names || (flags && !r))
        return;
    emit_text(d, " (");
    if (flags)
        emit_flags(d, names, r);
    else
        emit_constant(d, names, r);
    emit_text(d, ")");
}

static void emit_named_result(struct decoder *d)
{
    static const char *const states[] = {"TIME_OK",  "TIME_INS",  "TIME_DEL",
                                         "TIME_OOP", "TIME_WAIT", "TIME_ERROR"};
    int64_t r = d->e->result;
    emit(d, d->call->result == SYSCALL_RESULT_personality ? "%#llx (" : "%lld (", (long long)r);
    if (d->call->result == SYSCALL_RESULT_personality)
        emit_personality(d, (uint32_t)r);
    else if (d->call->result == SYSCALL_RESULT_sched_policy)
        emit_constant(d, &constants_sched_policy, (uint64_t)r);
    else if (d->call->result == SYSCALL_RESULT_timex)
        emit(d, "%s", r >= 0 && r < 6 ? states[r] : "TIME_???");
    else
        emit_signal(d, r);
    emit_text(d, ")");
}

static void emit_success(struct decoder *d)
{
    int64_t r = d->e->result;
    switch (d->call ? d->call->result : SYSCALL_RESULT_dec) {
    case SYSCALL_RESULT_fd:
        emit_fd(d, (int)r);
        break;
    case SYSCALL_RESULT_hex:
        emit(d, "%#llx", (unsigned long long)r);
        break;
    case SYSCALL_RESULT_mode:
        emit_mode(d, (uint32_t)r);
        break;
    case SYSCALL_RESULT_poll:
        emit_poll_result(d);
        break;
    case SYSCALL_RESULT_select:
        emit_select_result(d);
        break;
    case SYSCALL_RESULT_fcntl:
        emit_fcntl_result(d);
        break;
    case SYSCALL_RESULT_prctl:
        emit_prctl_result(d);
        break;
    case SYSCALL_RESULT_personality:
    case SYSCALL_RESULT_sched_policy:
    case SYSCALL_RESULT_timex:
    case SYSCALL_RESULT_sigwait:
        emit_named_result(d);
        break;
    default:
        emit_number(d, r);
    }
}

static void emit_error(struct decoder *d, int number, const char *before)
{
    const char *name = syscall_errno_name(number);
    if (name)
        emit(d, "%s%s (%s)", before, name, syscall_errno_text(number));
    else
        emit(d, "%s(errno %d)", before, number);
}

void emit_result(struct decoder *d)
{
    const struct syscall_event *e = d->e;
    enum { FIRST_RESTART = 512, LAST_RESTART = 516, NOT_RESTART = 515 };
    int number = e->result < 0 && e->result >= -4095 ? (int)-e->result : 0;
    if (e->kind != SYSCALL_CALL || e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT))
        emit_text(d, "?");
    else if (number >= FIRST_RESTART && number <= LAST_RESTART && number != NOT_RESTART)
        emit_error(d, number, "? ");
    else if (number)
        emit_error(d, number, "-1 ");
    else
        emit_success(d);
}
