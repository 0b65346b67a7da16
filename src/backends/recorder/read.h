/* Records of rings as events. */
#ifndef ROOFTOP_BACKENDS_RECORDER_READ_H
#define ROOFTOP_BACKENDS_RECORDER_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "backends/recorder/share.h"
#include "engine/syscalls/tracer.h"

/* The time stamp counter as CLOCK_MONOTONIC: a line from the first look at both to the latest. */
struct tsc_line {
    uint64_t tsc, ns; /* the first look */
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
    bool ending; /* a process called exit_group: its rings are looked after soon */
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
/* Gives back the rings of processes that have ended. */
void rings_reap(struct rings *r);
/* The process runs another program now; former: the thread that called execve. */
void rings_executed(struct rings *r, pid_t pid, pid_t former);
/* The i-th ring's current task. False: it has none. */
bool rings_task(const struct rings *r, uint32_t i, pid_t *tid, pid_t *pid);

#endif
