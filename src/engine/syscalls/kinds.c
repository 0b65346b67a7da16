#include "engine/syscalls/kinds.h"

#include <string.h>

#include "engine/syscalls/calls_impl.h"

enum syscall_kind_of_value syscall_arg_kind(unsigned abi, uint32_t number, unsigned arg)
{
    const struct syscall_call *call = syscall_find(abi, number);
    if (!call || arg >= call->nargs)
        return SYSCALL_VALUE_VARIES;
    switch ((enum syscall_type)call->args[arg].type) {
    case SYSCALL_TYPE_fd:
    case SYSCALL_TYPE_dirfd:
        return SYSCALL_VALUE_FD;
    case SYSCALL_TYPE_pid:
        return SYSCALL_VALUE_PID;
    case SYSCALL_TYPE_ptr:
    case SYSCALL_TYPE_ptr_out:
    case SYSCALL_TYPE_tid_out:
    case SYSCALL_TYPE_mremap_address:
    case SYSCALL_TYPE_futex_uaddr2:
    case SYSCALL_TYPE_iovec_far:
    case SYSCALL_TYPE_stack:
        return SYSCALL_VALUE_ADDRESS;
    /* clang-format off */
    case SYSCALL_TYPE_buf_out: case SYSCALL_TYPE_iovec_out: case SYSCALL_TYPE_msghdr_out:
    case SYSCALL_TYPE_mmsghdr_out: case SYSCALL_TYPE_msgbuf_out: case SYSCALL_TYPE_dirents_out:
    case SYSCALL_TYPE_stat_out: case SYSCALL_TYPE_statx_out: case SYSCALL_TYPE_statfs_out:
    case SYSCALL_TYPE_xattr_out: case SYSCALL_TYPE_text_out: case SYSCALL_TYPE_fds_out:
    case SYSCALL_TYPE_epoll_events_out: case SYSCALL_TYPE_epoll_event: case SYSCALL_TYPE_fdset:
    case SYSCALL_TYPE_pollfds: case SYSCALL_TYPE_cpuset: case SYSCALL_TYPE_cpuset_out:
    case SYSCALL_TYPE_itimerspec: case SYSCALL_TYPE_itimerspec_out: case SYSCALL_TYPE_itimerval:
    case SYSCALL_TYPE_itimerval_out: case SYSCALL_TYPE_time_out: case SYSCALL_TYPE_timespec:
    case SYSCALL_TYPE_timespec64: case SYSCALL_TYPE_timespec64_out: case SYSCALL_TYPE_timespecs:
    case SYSCALL_TYPE_timespec_inout: case SYSCALL_TYPE_timespec_left: case SYSCALL_TYPE_timeval:
    case SYSCALL_TYPE_timespec_out: case SYSCALL_TYPE_timeval_inout: case SYSCALL_TYPE_timevals:
    case SYSCALL_TYPE_timeval_out: case SYSCALL_TYPE_timex_inout: case SYSCALL_TYPE_tms_out:
    case SYSCALL_TYPE_utimbuf: case SYSCALL_TYPE_futex_timeout: case SYSCALL_TYPE_futex_val:
    case SYSCALL_TYPE_futex_val3: case SYSCALL_TYPE_rusage_out: case SYSCALL_TYPE_rlimit:
    case SYSCALL_TYPE_rlimit64: case SYSCALL_TYPE_rlimit64_out: case SYSCALL_TYPE_rlimit_out:
    case SYSCALL_TYPE_sigaction: case SYSCALL_TYPE_sigaction_out: case SYSCALL_TYPE_siginfo:
    case SYSCALL_TYPE_siginfo_out: case SYSCALL_TYPE_sigset_out: case SYSCALL_TYPE_stack_out:
    case SYSCALL_TYPE_sysinfo_out: case SYSCALL_TYPE_utsname_out: case SYSCALL_TYPE_envp:
    case SYSCALL_TYPE_clone_args: case SYSCALL_TYPE_io_uring_params: case SYSCALL_TYPE_uid:
    case SYSCALL_TYPE_gid: case SYSCALL_TYPE_uid_out: case SYSCALL_TYPE_gids_in:
    case SYSCALL_TYPE_gids_out: case SYSCALL_TYPE_sockaddr_out: case SYSCALL_TYPE_sockopt_out:
    case SYSCALL_TYPE_socklen_inout:
    case SYSCALL_TYPE_uint_out: case SYSCALL_TYPE_ulong_out: case SYSCALL_TYPE_int_out:
    case SYSCALL_TYPE_arch_prctl_arg: case SYSCALL_TYPE_prctl_arg: case SYSCALL_TYPE_ioctl_arg:
        return SYSCALL_VALUE_VARIES;
    /* clang-format on */
    default:
        return SYSCALL_VALUE_PLAIN;
    }
}

enum syscall_kind_of_value syscall_result_kind(unsigned abi, uint32_t number)
{
    static const char *const pids[] = {"fork",   "vfork",   "clone",   "clone3",         "getpid",
                                       "gettid", "wait4",   "waitpid", "getppid",        "setsid",
                                       "getsid", "getpgid", "getpgrp", "set_tid_address"};
    static const char *const vary[] = {"getuid", "geteuid",     "getgid", "getegid", "times",
                                       "time",   "getpriority", "alarm",  "getcwd"};
    const struct syscall_call *call = syscall_find(abi, number);
    if (!call)
        return SYSCALL_VALUE_PLAIN;
    for (size_t i = 0; i < sizeof pids / sizeof *pids; i++)
        if (strcmp(call->name, pids[i]) == 0)
            return SYSCALL_VALUE_PID;
    for (size_t i = 0; i < sizeof vary / sizeof *vary; i++)
        if (strcmp(call->name, vary[i]) == 0)
            return SYSCALL_VALUE_VARIES;
    switch ((enum syscall_result)call->result) {
    case SYSCALL_RESULT_fd:
        return SYSCALL_VALUE_FD;
    case SYSCALL_RESULT_hex:
        return SYSCALL_VALUE_ADDRESS;
    case SYSCALL_RESULT_times:
    case SYSCALL_RESULT_timex:
    case SYSCALL_RESULT_key:
        return SYSCALL_VALUE_VARIES;
    default:
        return SYSCALL_VALUE_PLAIN;
    }
}
