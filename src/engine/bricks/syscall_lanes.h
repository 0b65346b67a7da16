/*
 * System calls as lanes beside the threads that made them, for a timeline. They are only drawn: no
 * path goes through them, because the spans of the thread have that time already.
 */
#pragma once

#include "engine/graph/graph.h"
#include "engine/syscalls/recent.h"

/* Most spans in all lanes together; 0 for syscall_lanes_add means this. */
enum { SYSCALL_LANES_SPANS = 100000 };

struct syscall_lanes {
    uint64_t calls; /* that are drawn */
    uint32_t spans; /* that they are drawn as */
    uint64_t apart; /* ns: calls of a thread that are nearer to each other are one span; 0: none */
};

/*
 * Adds a lane with the calls of each thread of the graph that made some, and finishes the graph
 * again. Where there are more than `most` calls, those that follow each other closely become one
 * span: "write x37", "41 calls, most in read".
 */
struct syscall_lanes syscall_lanes_add(struct graph *calls, const struct syscall_recent *recent,
                                       uint32_t most);
