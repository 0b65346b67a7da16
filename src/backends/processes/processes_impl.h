/* What the files of backends/processes share among themselves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "backends/common/proc_parse.h"
#include "backends/processes/tick.h"
#include "engine/live/snapshot.h"
#include "engine/live/target.h"
#include "engine/value/value.h"

/*
 * Divides the machine's CPU time: used by living processes, by processes that ended between two
 * polls, and the rest that no visible process used. A process that ends passes all its CPU time to
 * the parent that waits for it (proc(5), /proc/PID/stat fields 16 and 17), which is read anyway.
 * What ended processes used since the previous poll is this minus what was shown while they lived.
 */

/* Clock ticks in one poll; `ended` and `rest` are carried over to the next. */
struct account {
    int64_t live;  /* used by the processes that were read */
    int64_t ended; /* passed to parents, minus what was already shown for the ended processes */
    uint64_t nended;
    pid_t parent;
    int64_t most; /* the amount passed to that parent */
    int64_t rest;
};

/* Fills out->account and starts the next poll. */
void account_fill(struct account *a, struct snapshot *out, const struct system_tick *tick,
                  uint64_t hz);

/* The process numbers in /proc, sorted. */
struct pid_listing {
    int dir_fd; /* /proc, kept open; -1: it cannot be read */
    char *buf;
    pid_t *pids; /* result of the last listing_read, without duplicates */
    size_t n, cap;
};

/* Opens /proc. Returns 0 or -errno. */
int listing_open(struct pid_listing *l);
/* Reads the pids. Returns 0, or -errno with pids unchanged. */
int listing_read(struct pid_listing *l);
/* Counts the processes without listing them: the number of links of procfs's root is that of all
 * processes of the machine, plus some of its own. If the kernel does not count, the result is at
 * most the number listed. */
size_t listing_population(const struct pid_listing *l);
void listing_close(struct pid_listing *l);

/* A process in the table, kept between polls. */
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
    uint8_t identity; /* how many times cmdline and uid must still be read */
    uint64_t read_ns; /* time of the last reading of stat */
    uint64_t identity_ns;
    uint64_t waited_ns; /* of a watched one: of the poll that found it has waited or ended */
    uint64_t again;     /* when it was last read once more, as its parent had: number of times */
    /* ticks of ended children that this poll added, minus what was shown for them */
    int64_t waited;
    struct value cpu_percent;
    uid_t uid;
    int user;      /* index in the table of users; -1: not known */
    char *cmdline; /* malloc'ed; NULL before it is read, or if it is empty */
    size_t cmdline_len;
};

/* User names by uid, each looked up once. */
struct users;

struct users *users_open(void); /* reads /etc/passwd */
/* The index of uid's name; stays valid. For a uid that is not in /etc/passwd it may ask the
 * system's directory service, once. */
int users_index(struct users *u, uid_t uid);
const char *users_name(const struct users *u, int index); /* the uid as text if it has no name */
int users_count(const struct users *u);
void users_close(struct users *u);

/* Copies the process table to the rows of a snapshot. */

/* All text goes into the snapshot in one piece. hz: clock ticks per second. */
void rows_fill(struct snapshot *out, struct task *const *tasks, size_t n, const struct users *users,
               uint64_t hz, uint64_t page_size);

/* Reads one process, within a limit of open descriptors. */
struct task_reader {
    int proc_fd;          /* the folder /proc */
    int files, files_max; /* descriptors kept open for processes; their limit */
    int fd_most;          /* only numbers below it are kept */
    struct users *users;
    uint64_t reads;
};

/* Raises the soft limit of descriptors to the hard one and uses a quarter of it, at most 4096. */
void task_reader_init(struct task_reader *r, int proc_fd, struct users *users);

/* Reads /proc/PID/stat into out. Returns 0; -ESRCH if the process has ended (a kept descriptor
 * never shows another process that reuses the pid); -EACCES or -EPERM if it is hidden from us. */
int task_read_stat(struct task_reader *r, struct task *t, struct pid_stat *out);
void task_read_owner(struct task_reader *r, struct task *t);
/* Reads the owner and the command line. */
void task_read_identity(struct task_reader *r, struct task *t);
/* Closes the kept descriptor. */
void task_drop_file(struct task_reader *r, struct task *t);
void task_free(struct task_reader *r, struct task *t);

/* Threads of the processes that a view requests: listed and read once a second, one read for each
 * thread, at most THREADS_MAX. Without a request nothing is read. */
enum { THREADS_MAX = 1024 };

struct threads;

/* proc_fd: the folder /proc, borrowed. hz: clock ticks per second. */
struct threads *threads_open(int proc_fd, uint64_t hz);
/* Fills out->threads from out->procs, as requested by out->thread_wish; adds a notice if there are
 * more threads than are read. */
void threads_poll(struct threads *t, struct snapshot *out, uint64_t now_ns);
void threads_close(struct threads *t);

/* Decides which processes belong to the target. */
struct process_watch;

/* command: pid of the child for TARGET_COMMAND, else 0. target is copied. */
struct process_watch *watch_open(const struct target *target, pid_t command);
/* Marks the watched processes among the tasks (sorted by pid): the named ones, the command, members
 * of the cgroup and of those below it. Also marks every process that a marked one started, for the
 * rest of its life, even after its parent ends; with CHILDREN_NEW only those started after the
 * first call. listed: the table was just compared with /proc. now: ticks since boot. */
void watch_mark(struct process_watch *w, struct task *const *tasks, size_t n, bool listed,
                uint64_t now);
/* CHILDREN_NEW: the number of children of watched processes that had been started before. */
size_t watch_left_out(const struct process_watch *w, struct task *const *tasks, size_t n);
/* TARGET_PIDS: whether every named process has ended. */
bool watch_gone(const struct process_watch *w);
void watch_close(struct process_watch *w);
