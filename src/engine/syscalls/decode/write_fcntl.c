/* fcntl: the argument's kind depends on the command. */
#include "engine/syscalls/decode/decode_impl.h"
#include "engine/syscalls/decode/types.h"

#include <asm/fcntl.h>
#include <linux/fcntl.h>

#define VALUE (d->e->args[arg])

bool fcntl_arg_absent(const struct decoder *d, unsigned arg)
{
    switch ((int)d->e->args[arg - 1]) {
    case F_GETFD:
    case F_GETFL:
    case F_GETOWN:
    case F_GETSIG:
    case F_GETLEASE:
    case F_GETPIPE_SZ:
    case F_GET_SEALS:
        return true;
    default:
        return false;
    }
}

/* struct flock of 64-bit ABIs: type and whence of 2 bytes each, start, length, pid. */
static void emit_lock(struct decoder *d, bool when, uint64_t address, bool pid)
{
    struct {
        int16_t type, whence;
        int32_t pad;
        int64_t start, length;
        int32_t pid, end;
    } l;
    if (long_size(d) != 8 || !take(d, when, address, &l, sizeof l)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "{l_type=");
    emit_constant(d, &constants_lock_types, (uint16_t)l.type);
    emit_text(d, ", l_whence=");
    emit_constant(d, &constants_whence, (uint16_t)l.whence);
    emit(d, ", l_start=%lld, l_len=%lld", (long long)l.start, (long long)l.length);
    if (pid) {
        emit_text(d, ", l_pid=");
        emit_task(d, l.pid);
    }
    emit_text(d, "}");
}

static void emit_owner(struct decoder *d, bool when, uint64_t address)
{
    static const struct constant types[] = {
        {0, "F_OWNER_TID"}, {1, "F_OWNER_PID"}, {2, "F_OWNER_PGRP"}};
    static const struct constants table = {types, 3, "F_OWNER_???"};
    int32_t owner[2];
    if (!take(d, when, address, owner, sizeof owner)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "{type=");
    emit_constant(d, &table, (uint32_t)owner[0]);
    emit_text(d, ", pid=");
    emit_task(d, owner[1]);
    emit_text(d, "}");
}

static void emit_hint(struct decoder *d, bool when, uint64_t address)
{
    static const struct constant hints[] = {
        {0, "RWH_WRITE_LIFE_NOT_SET"}, {1, "RWH_WRITE_LIFE_NONE"}, {2, "RWH_WRITE_LIFE_SHORT"},
        {3, "RWH_WRITE_LIFE_MEDIUM"},  {4, "RWH_WRITE_LIFE_LONG"}, {5, "RWH_WRITE_LIFE_EXTREME"}};
    static const struct constants table = {hints, 6, "RWH_WRITE_LIFE_???"};
    uint64_t hint;
    if (!take(d, when, address, &hint, sizeof hint)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "[");
    emit_constant(d, &table, hint);
    emit_text(d, "]");
}

/* When to look at the memory of a command: one that writes must have succeeded. */
static bool moment_of_fcntl(const struct decoder *d)
{
    return has_result(d) ? AT_RETURN : AT_ENTRY;
}

void write_fcntl_arg(struct decoder *d, unsigned arg)
{
    switch ((int)other(d, arg)) {
    case F_SETFD:
        emit_flags(d, &constants_fd_flags, (uint32_t)VALUE);
        break;
    case F_SETFL:
        emit_open_flags(d, (uint32_t)VALUE);
        break;
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
        emit_lock(d, AT_ENTRY, VALUE, false);
        break;
    case F_GETLK:
    case F_OFD_GETLK:
        emit_lock(d, moment_of_fcntl(d), VALUE, has_result(d));
        break;
    case F_SETOWN_EX:
        emit_owner(d, AT_ENTRY, VALUE);
        break;
    case F_GETOWN_EX:
        emit_owner(d, AT_RETURN, VALUE);
        break;
    case F_SETSIG:
        emit_signal(d, (int)VALUE);
        break;
    case F_SETLEASE:
        emit_constant(d, &constants_lock_types, (uint32_t)VALUE);
        break;
    case F_NOTIFY:
        emit_flags(d, &constants_notify_events, (uint32_t)VALUE);
        break;
    case F_ADD_SEALS:
        emit_flags(d, &constants_seals, (uint32_t)VALUE);
        break;
    case F_GET_RW_HINT:
    case F_GET_FILE_RW_HINT:
        emit_hint(d, AT_RETURN, VALUE);
        break;
    case F_SET_RW_HINT:
    case F_SET_FILE_RW_HINT:
        emit_hint(d, AT_ENTRY, VALUE);
        break;
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
    case F_SETOWN:
    case F_SETPIPE_SZ:
        emit_number(d, (int)VALUE);
        break;
    default:
        emit_hex(d, VALUE);
    }
}
