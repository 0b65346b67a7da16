#include "backends/bpf/programs.h"

#include "backends/bpf/parts.h"

const struct program programs[] = {
    {"task_newtask", false, false, program_newtask},
    {"sched_process_exec", false, false, program_exec},
    {"sched_process_exit", false, false, program_task_exit},
    {"signal_deliver", false, true, program_signal},
    {"signal_generate", false, true, program_sent},
    {"sys_exit", true, false, program_exit},
    {"sys_enter", true, false, program_enter},
    {NULL, false, false, NULL},
};
