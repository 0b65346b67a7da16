#include "backends/bpf/programs.h"

#include "backends/bpf/parts.h"

const struct program programs[] = {
    {"task_newtask", write_newtask},
    {"sched_process_exec", write_exec},
    {"sched_process_exit", write_task_exit},
    {"signal_deliver", write_signal},
    {"sys_exit", write_exit},
    {"sys_enter", write_enter},
    {NULL, NULL},
};
