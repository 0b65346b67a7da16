/* System calls as lanes of a running program's last pass, to draw beside its threads. */
#pragma once

#include "base/arena.h"
#include "engine/bricks/bricks.h"
#include "engine/syscalls/recent.h"

/*
 * Adds a lane for each thread of the window's program that made calls in its time, with spans as
 * syscall_lanes.h makes them, at most `most` of them. They are on no path; their node of the tree
 * is the program. Arrays and texts are allocated from memory.
 */
void bricks_window_calls(struct bricks *b, struct arena *memory,
                         const struct syscall_recent *recent, uint32_t most);
