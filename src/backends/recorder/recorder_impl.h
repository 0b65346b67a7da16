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

/* Converts the time stamp counter (TSC), which the recorder reads, to CLOCK_MONOTONIC in ns, by a
 * line through two moments at which both clocks were read. */
struct tsc_line;
uint64_t tsc_now(void); /* ticks */
void tsc_line_begin(struct tsc_line *l);
void tsc_line_draw(struct tsc_line *l); /* sets the line's second moment to now */
/* Limits the result to the time from the line's first moment to now, because a program wrote tsc.
 */
uint64_t tsc_line_ns(struct tsc_line *l, uint64_t tsc);

/* Whether the recorder can go into a program that is about to be executed. */
enum image_kind {
    IMAGE_TAKES,   /* a 64-bit program with glibc's dynamic linker */
    IMAGE_FOREIGN, /* static, or another architecture or C library: traced with ptrace */
    IMAGE_RAISES   /* set-user-ID or similar: not traced, because tracing removes its rights */
};
/* Examines the file of the task's path, dirfd and flags of execveat. A missing file is foreign:
 * execve will fail. */
enum image_kind image_look(pid_t tid, int dirfd, const char *path, int flags);

/* Finds the recorder, and makes the environment that loads it into a program. */

/* $ROOFTOP_RECORDER_LIBRARY, beside rooftop, or in ../lib/rooftop. */
int recorder_library_find(char out[PATH_MAX], struct error *err);
/* A copy of the environment that loads the recorder; one allocation, which the caller frees. */
char **recorder_environment(char *const *from, const char *library, int control_id);

/* The shared memory of a trace: control, sites, rings. It exists until the last program that has it
 * ends, even if rooftop is killed. The traced programs can write any bytes into control and rings
 * at any time, so rooftop keeps its own state here, and copies and checks what it reads there. */
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
/* Adds rings if programs wait for some. */
void share_grow(struct share *s);
/* The number of rings; ring i of them, and its SYSCALL_RING_RECORDS records. */
uint32_t share_rings(const struct share *s);
struct syscall_ring *share_ring(const struct share *s, uint32_t i);
struct syscall_record *share_records(struct syscall_ring *r);
/* Whether a program has the memory. */
bool share_used(const struct share *s);
/* Wakes the task that waits for room in its ring. */
void share_room(struct syscall_ring *r);
/* Answers the question in r->want, and wakes the task that waits for it. */
void share_answer(struct syscall_ring *r, uint32_t answer);
/* Waits until the bell has another value than this, at most ms. */
void share_wait(const struct share *s, uint32_t bell, int ms);

/* Decides which mappings of a process to patch, and where their trampolines go. */

/* The sites of the files that were examined, in the shared segment. Zeroed at first. */
struct plans {
    struct plan_file *files;
    size_t n, cap;
    uint64_t lone; /* number of unpatchable sites in mapped files */
};

/* Makes the plan for all files that the process has mapped executable. */
void plan_make(struct plans *p, struct share *s, pid_t pid, struct syscall_plan *out);
/* Makes the plan for the file mapped at this address. false: there is nothing to patch. */
bool plan_part(struct plans *p, struct share *s, pid_t pid, uint64_t address,
               struct syscall_part *out);
/* Whether the task has this trace's memory, which only the command, its descendants and processes
 * of rooftop's user can have. */
bool plan_has_share(const struct share *s, pid_t tid);
/* Where the recorder is in the process; false: it is not there. */
bool plan_recorder(const struct share *s, pid_t pid, uint64_t *from, uint64_t *to);
void plans_free(struct plans *p);

/* Makes events of the records in rings. */

/* A line from the first reading of both clocks to the latest. */
struct tsc_line {
    uint64_t tsc, ns; /* the first reading */
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
    uint32_t *heap; /* rings with an unread record, ordered by its time */
    uint32_t nheap;
    bool ending;   /* a process called exit_group: its rings are checked soon */
    uint64_t kept; /* bytes of memory in the open calls of all rings */
    pid_t command;
    bool command_ended;
    int command_status;
};

void rings_open(struct rings *r);
void rings_close(struct rings *r);
/* Reads available records, at most a batch. Returns their number. */
size_t rings_read(struct rings *r);
/* Reads all records that exist at this moment. */
void rings_catch_up(struct rings *r);
/* Tells that the process is now under ptrace, which reports the ends of its tasks. */
void rings_quiet(struct rings *r, pid_t pid);
/* Frees the rings of processes that have ended. If it is not known yet how they ended, leaves that
 * to the next call, unless last_time. */
void rings_reap(struct rings *r, bool last_time);
/* Tells that the process executed another program. former: the thread that called execve. */
void rings_executed(struct rings *r, pid_t pid, pid_t former);
/* The i-th ring's current task. False: it has none. */
bool rings_task(const struct rings *r, uint32_t i, pid_t *tid, pid_t *pid);

/* The places where a file makes system calls, and the instructions there that can move to a
 * trampoline. Zydis, a library that is loaded when it is needed, decodes all of the code; the
 * result is kept in the user's state folder, under the file's build id. */
struct site_list {
    struct syscall_site *list; /* malloc'ed */
    size_t n, cap;
    size_t lone; /* `syscall` instructions that must stay where they are */
};

/* false with why: rooftop was built without Zydis, or the library is missing. */
bool sites_available(struct error *why);
/* The call sites of the ELF file, sorted by offset. false: none, unreadable or too large. */
bool sites_find(const char *path, struct site_list *out);
/* The call sites in n bytes of code at this offset of their file. For tests. */
void sites_decode(const uint8_t *code, size_t n, uint64_t offset, struct site_list *out);
void sites_free(struct site_list *s);

/* Tells the recorder which memory of arguments to copy. */

/* Fills the rows of the control with the memory that the decoders of the traced calls look at. */
void wants_fill(struct syscall_control *c, const struct tracer_setup *setup);
