#include "engine/syscalls/decode/decode_impl.h"

/* open and openat take a mode only if they may create a file. */
static bool open_mode_absent(const struct decoder *d, unsigned arg)
{
    enum { CREATE = 0100, TEMPORARY = 020000000 }; /* O_CREAT; __O_TMPFILE, asm-generic/fcntl.h */
    return !(d->e->args[arg - 1] & (CREATE | TEMPORARY));
}

static bool mremap_address_absent(const struct decoder *d, unsigned arg)
{
    return !(d->e->args[arg - 1] & 6); /* MREMAP_FIXED, MREMAP_DONTUNMAP */
}

static bool mknod_dev_absent(const struct decoder *d, unsigned arg)
{
    uint32_t kind = (uint32_t)d->e->args[arg - 1] & 0170000;
    return kind != 0020000 && kind != 0060000; /* S_IFCHR, S_IFBLK */
}

static bool is_always_absent(const struct decoder *d, unsigned arg)
{
    (void)d;
    (void)arg;
    return true;
}

/* Only the actions that read, and the one for the console's level, take a buffer and a number.
 * Source: syslog(2). */
static bool syslog_arg_absent(const struct decoder *d, unsigned arg)
{
    (void)arg;
    int type = (int)d->e->args[0];
    return !(type >= 2 && type <= 4) && type != 8;
}

/* Only files and targets of epoll have indexes. Source: kcmp(2). */
static bool kcmp_index_absent(const struct decoder *d, unsigned arg)
{
    (void)arg;
    uint32_t type = (uint32_t)d->e->args[2];
    return type != 0 && type != 7; /* KCMP_FILE, KCMP_EPOLL_TFD */
}

static bool membarrier_cpu_absent(const struct decoder *d, unsigned arg)
{
    return !(d->e->args[arg - 1] & 1); /* MEMBARRIER_CMD_FLAG_CPU */
}

static bool (*const rules[])(const struct decoder *d, unsigned arg) = {
    [SYSCALL_TYPE_open_mode] = open_mode_absent,
    [SYSCALL_TYPE_mknod_dev] = mknod_dev_absent,
    [SYSCALL_TYPE_mremap_address] = mremap_address_absent,
    [SYSCALL_TYPE_off_high] = is_always_absent,
    [SYSCALL_TYPE_futex_val] = futex_arg_absent,
    [SYSCALL_TYPE_futex_timeout] = futex_arg_absent,
    [SYSCALL_TYPE_futex_uaddr2] = futex_arg_absent,
    [SYSCALL_TYPE_futex_val3] = futex_arg_absent,
    [SYSCALL_TYPE_fcntl_arg] = fcntl_arg_absent,
    [SYSCALL_TYPE_ioctl_arg] = ioctl_arg_absent,
    [SYSCALL_TYPE_prctl_arg] = prctl_arg_absent,
    [SYSCALL_TYPE_sigframe] = sigframe_arg_absent,
    [SYSCALL_TYPE_syslog_arg] = syslog_arg_absent,
    [SYSCALL_TYPE_syslog_len] = syslog_arg_absent,
    [SYSCALL_TYPE_kcmp_index] = kcmp_index_absent,
    [SYSCALL_TYPE_membarrier_cpu] = membarrier_cpu_absent,
};

bool arg_absent(const struct decoder *d, unsigned arg)
{
    const size_t type = d->call->args[arg].type;
    return type < sizeof rules / sizeof *rules && rules[type] && rules[type](d, arg);
}
