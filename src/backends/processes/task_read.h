/*
 * Reading one process, within a limit of descriptors.
 */
#ifndef ROOFTOP_BACKENDS_PROCESSES_TASK_READ_H
#define ROOFTOP_BACKENDS_PROCESSES_TASK_READ_H

#include <stdbool.h>

#include "backends/processes/task.h"
#include "backends/processes/users.h"

struct task_reader {
    int proc_fd;          /* directory /proc */
    int files, files_max; /* descriptors kept for processes */
    struct users *users;
    uint64_t reads;
};

/* Raises the soft limit of descriptors to the hard one and takes a quarter of it, 4096 at most. */
void task_reader_init(struct task_reader *r, int proc_fd, struct users *users);

/*
 * Reads /proc/PID/stat into out. 0; -ESRCH when it has ended (a kept descriptor never shows another
 * process that got the same number); -EACCES or -EPERM where it is hidden from us.
 */
int task_read_stat(struct task_reader *r, struct task *t, struct pid_stat *out);
void task_read_owner(struct task_reader *r, struct task *t);
/* Reads its owner and command line. */
void task_read_identity(struct task_reader *r, struct task *t);
/* Gives back its descriptor. */
void task_drop_file(struct task_reader *r, struct task *t);
void task_free(struct task_reader *r, struct task *t);

#endif
