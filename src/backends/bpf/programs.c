#include "backends/bpf/programs.h"

#include "backends/bpf/parts.h"

const struct program programs[] = {
    {"task_newtask", program_newtask},
    {"sched_process_exec", program_exec},
    {"sched_process_exit", program_task_exit},
    {"signal_deliver", program_signal},
    {"signal_generate", program_sent},
    {"sys_exit", program_exit},
    {"sys_enter", program_enter},
    {NULL, NULL},
};
