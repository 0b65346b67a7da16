/* What the files of backends/recorder share among themselves. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "engine/syscalls/tracer.h"
#include "format/syscall_ring.h"

/* The time stamp counter (TSC), which the recorder reads, as CLOCK_MONOTONIC in ns: a straight line
 * through two moments at which both clocks were read. */
struct tsc_line;
uint64_t tsc_now(void); /* ticks */
void tsc_line_begin(struct tsc_line *l);
void tsc_line_draw(struct tsc_line *l); /* makes this moment the line's second one */
/* The result is never before the line's first moment, nor after this one: a program wrote tsc. */
uint64_t tsc_line_ns(struct tsc_line *l, uint64_t tsc);

/* What a program that is to be executed is: whether the recorder can go into it. */
enum image_kind {
    IMAGE_TAKES,   /* a 64-bit program with glibc's dynamic linker */
    IMAGE_FOREIGN, /* static, for another architecture, of another C library: traced with ptrace */
    IMAGE_RAISES   /* tracing it would take away the rights that it gives: not traced */
};
/* The file that the task means by this path, dirfd and flags of execveat. A file that is not there
 * is foreign: execve will say so. */
enum image_kind image_look(pid_t tid, int dirfd, const char *path, int flags);

/* Where the recorder is, and the environment that brings it into a program. */

/* $ROOFTOP_RECORDER_LIBRARY, beside rooftop, or in ../lib/rooftop. */
int recorder_library_find(char out[PATH_MAX], struct error *err);
/* A copy of the environment with the recorder in it; one allocation, which the caller frees. */
char **recorder_environment(char *const *from, const char *library, int control_id);

/*
 * The shared memory of a trace: control, sites, rings. It is gone when the last program that has it
 * is gone, also where rooftop is killed. The traced programs can write any bytes into control and
 * rings at any time: what rooftop itself must know is here, in its own memory, and what it reads
 * there is copied once and checked.
 */
struct share {
    struct syscall_control *control;
    struct syscall_site *sites; /* programs can only read them */
    uint32_t nsites;            /* in use */
    int control_id;
    uint32_t nchunks;
    uint8_t *chunks[SYSCALL_RING_CHUNKS];
    char library[SYSCALL_RING_PATH]; /* path of the recorder */
};

/* Makes the shared memory and its first rings. library: path of the recorder, without ' ' and ':'.
 * 0, or -errno with err. share_close detaches it. */
int share_open(struct share *s, const char *library, struct error *err);
void share_close(struct share *s);
/* Adds rings where programs wait for some. */
void share_grow(struct share *s);
/* The number of rings; ring i of them, and its SYSCALL_RING_RECORDS records. */
uint32_t share_rings(const struct share *s);
struct syscall_ring *share_ring(const struct share *s, uint32_t i);
struct syscall_record *share_records(struct syscall_ring *r);
/* True while a program has the memory. */
bool share_used(const struct share *s);
/* Wakes the task that waits for room in its ring. */
void share_room(struct syscall_ring *r);
/* Answers the question in r->want, and wakes the task that waits for it. */
void share_answer(struct syscall_ring *r, uint32_t answer);
/* Waits until the bell has another value than this, at most ms. */
void share_wait(const struct share *s, uint32_t bell, int ms);

/* Which mappings of a process are patched, and where their trampolines go. */

/* The sites of files that were looked at, in the shared segment. Zeroed at first. */
struct plans {
    struct plan_file *files;
    size_t n, cap;
    uint64_t lone; /* in files that were mapped */
};

/* All files that the process has mapped executable. */
void plan_make(struct plans *p, struct share *s, pid_t pid, struct syscall_plan *out);
/* The one mapped at this address. False: nothing is to be patched there. */
bool plan_part(struct plans *p, struct share *s, pid_t pid, uint64_t address,
               struct syscall_part *out);
/* Whether the task has this trace's memory: only the command and what it made can have it, or a
 * process of rooftop's own user. */
bool plan_has_share(const struct share *s, pid_t tid);
/* Where the recorder itself is in the process; false: nowhere. */
bool plan_recorder(const struct share *s, pid_t pid, uint64_t *from, uint64_t *to);
void plans_free(struct plans *p);

/* Records of rings as events. */

/* The time stamp counter as CLOCK_MONOTONIC: a line from the first look at both to the latest. */
struct tsc_line {
    uint64_t tsc, ns; /* the first look */
    uint64_t latest;  /* the latest */
    double slope;
};

struct ring_reader; /* of one ring */
struct rings {
    struct share *share;
    const struct tracer_setup *setup;
    const struct syscall_sink *sink;
    struct tracer_result *result;
    struct tsc_line clock;
    struct ring_reader *readers;
    uint32_t n;
    uint32_t *heap; /* rings that have a record to read, by its time */
    uint32_t nheap;
    bool ending;   /* a process called exit_group: its rings are looked after soon */
    uint64_t kept; /* bytes of memory in open calls, of all rings */
    pid_t command;
    bool command_ended;
    int command_status;
};

void rings_open(struct rings *r);
void rings_close(struct rings *r);
/* Reads what is there, at most a batch. Returns the number of records. */
size_t rings_read(struct rings *r);
/* All that is there at this moment. */
void rings_catch_up(struct rings *r);
/* The process is traced with ptrace from now on: the ends of its tasks are not reported here. */
void rings_quiet(struct rings *r, pid_t pid);
/* Gives back the rings of processes that have ended. Where nothing says yet how, those wait until
 * the next time; last_time: there is none. */
void rings_reap(struct rings *r, bool last_time);
/* The process runs another program now; former: the thread that called execve. */
void rings_executed(struct rings *r, pid_t pid, pid_t former);
/* The i-th ring's current task. False: it has none. */
bool rings_task(const struct rings *r, uint32_t i, pid_t *tid, pid_t *pid);

/*
 * Where a file makes system calls, and what of it can be moved to a trampoline. The code is decoded
 * from its begin to its end by Zydis, a library that is opened when it is needed; what was found is
 * kept in the user's folder for state, under the file's build id.
 */
struct site_list {
    struct syscall_site *list; /* malloc'ed */
    size_t n, cap;
    size_t lone; /* `syscall` instructions that must stay where they are */
};

/* False with why: this rooftop was built without Zydis, or the library is not there. */
bool sites_available(struct error *why);
/* The call sites of the ELF file, by offset. False: it has none, cannot be read, or is too large.
 */
bool sites_find(const char *path, struct site_list *out);
/* Those of n bytes of code that lie at this offset of their file. For tests. */
void sites_decode(const uint8_t *code, size_t n, uint64_t offset, struct site_list *out);
void sites_free(struct site_list *s);

/* What the recorder copies of the memory behind arguments. */

/* Fills the rows of the control: for the calls that are traced, what their decoders look at. */
void wants_fill(struct syscall_control *c, const struct tracer_setup *setup);
