/* Where members of the running kernel's structures are, from its BTF. */
#pragma once

#include <stdint.h>

/* In bytes; -1: the kernel has no such member. */
struct kernel_types {
    int task_pid, task_tgid, task_exit_code, task_signal, task_mm, task_status;
    int signal_flags, signal_code, signal_maxrss;
    int mm_arg_start, mm_arg_end;
    int mm_rss, mm_rss_peak, counter_count, counter_size; /* -1: only peaks over those of rooftop */
    /* of struct io_kiocb; in its completion; what the tracepoint io_uring_complete is told */
    int request_ring, request_opcode, request_flags, request_data, complete_arguments;
    int program_name; /* of struct linux_binprm */
};

/* Returns 0 or -errno: there is no BTF, or what is needed is not in it. */
int kernel_types_read(struct kernel_types *out);
