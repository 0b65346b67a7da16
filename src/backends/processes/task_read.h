/* Reads one process, within a limit of open descriptors. */
#ifndef ROOFTOP_BACKENDS_PROCESSES_TASK_READ_H
#define ROOFTOP_BACKENDS_PROCESSES_TASK_READ_H

#include <stdbool.h>

#include "backends/processes/task.h"
#include "backends/processes/users.h"

struct task_reader {
    int proc_fd;          /* the folder /proc */
    int files, files_max; /* descriptors kept open for processes; their limit */
    int fd_most;          /* only numbers below it are kept */
    struct users *users;
    uint64_t reads;
};

/* Raises the soft limit of descriptors to the hard one and uses a quarter of it, at most 4096. */
void task_reader_init(struct task_reader *r, int proc_fd, struct users *users);

/*
 * Reads /proc/PID/stat into out. Returns 0; -ESRCH where the process has ended (a kept descriptor
 * never shows another process that reuses the pid); -EACCES or -EPERM where it is hidden from us.
 */
int task_read_stat(struct task_reader *r, struct task *t, struct pid_stat *out);
void task_read_owner(struct task_reader *r, struct task *t);
/* Reads the owner and the command line. */
void task_read_identity(struct task_reader *r, struct task *t);
/* Closes the kept descriptor. */
void task_drop_file(struct task_reader *r, struct task *t);
void task_free(struct task_reader *r, struct task *t);

#endif
