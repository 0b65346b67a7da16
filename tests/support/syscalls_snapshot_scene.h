/* A picture of system calls made by hand, for tests of the screen and of documents. */
#pragma once

#include "engine/syscalls/snapshot/gather.h"

/* A shell that starts a server and a program with habits that cost time. rounds: how long it has
 * run. The caller unrefs it. */
struct syscalls_snapshot *syscalls_snapshot_scene(enum syscalls_state state, int rounds);
/* A saved trace of 40 calls, 7 us in all, that two functions made: "save", through "run" and "main"
 * (20 fsync and 10 write of 100 ns), and "load" by itself (10 write of 400 ns). */
struct syscalls_snapshot *syscalls_stacks_scene(void);
