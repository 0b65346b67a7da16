/* A process in the table, kept between polls. */
#ifndef ROOFTOP_BACKENDS_PROCESSES_TASK_H
#define ROOFTOP_BACKENDS_PROCESSES_TASK_H

#include "backends/common/proc_parse.h"
#include "engine/value/value.h"

struct task {
    pid_t pid;
    struct pid_stat stat; /* from the last reading; pid and stat.start_ticks identify the process */
    int fd;               /* /proc/PID/stat, kept open; -1: opened for each reading */
    bool read;            /* stat is set: the process has a row */
    bool gone;            /* ended; removed at the end of this poll */
    bool denied;          /* listed but hidden from us (hidepid=1) */
    bool watched;
    bool checked;     /* the watch has examined it */
    uint8_t idle;     /* consecutive readings without CPU time, saturating */
    uint8_t identity; /* how often cmdline and uid must still be read */
    uint64_t read_ns; /* time of the last reading of stat */
    uint64_t identity_ns;
    /* ticks of ended children that this poll added, minus what was shown for them */
    int64_t waited;
    struct value cpu_percent;
    uid_t uid;
    int user;      /* index in the table of users; -1: not known */
    char *cmdline; /* malloc'ed; NULL until it was read, or where it is empty */
    size_t cmdline_len;
};

#endif
