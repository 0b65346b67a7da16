#include "backends/bpf/bpf_impl.h"

const struct program programs[] = {
    {"task_newtask", false, false, false, program_newtask},
    {"sched_prepare_exec", false, false, true, program_before_exec}, /* from Linux 6.10 on */
    {"sched_process_exec", false, false, false, program_exec},
    {"sched_process_exit", false, false, false, program_task_exit},
    {"signal_deliver", false, true, false, program_signal},
    {"signal_generate", false, true, false, program_sent},
    {"sys_exit", true, false, false, program_exit},
    {"sys_enter", true, false, false, program_enter},
    {NULL, false, false, false, NULL},
};
