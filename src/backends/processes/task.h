/*
 * One process as the table keeps it between polls.
 */
#ifndef ROOFTOP_BACKENDS_PROCESSES_TASK_H
#define ROOFTOP_BACKENDS_PROCESSES_TASK_H

#include "backends/common/proc_parse.h"
#include "engine/value/value.h"

struct task {
    pid_t pid;
    struct pid_stat stat; /* as last read; (pid, stat.start_ticks) is who it is */
    int fd;               /* kept /proc/PID/stat, -1 = opened for each reading */
    bool read;            /* stat is set: it has a row */
    bool gone;            /* ended; leaves the table at the end of this poll */
    bool denied;          /* listed, but hidden from us (hidepid=1) */
    bool watched;
    bool checked;     /* the watch has looked at it */
    uint8_t idle;     /* readings in a row without CPU time, saturating */
    uint8_t identity; /* how often cmdline and uid are still to be read */
    uint64_t read_ns; /* of stat */
    uint64_t identity_ns;
    int64_t
        waited; /* ticks of children that ended, told in this poll, less what was shown of them */
    struct value cpu_percent;
    uid_t uid;
    int user;      /* in the table of users; -1 = not known */
    char *cmdline; /* malloc'ed; NULL until it was read or where it is empty */
    size_t cmdline_len;
};

#endif
