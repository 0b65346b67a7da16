/*
 * Where calls of a saved trace came from: the stacks that stand behind its calls, which refer to
 * them by number, and the `source` of single calls.
 */
#pragma once

#include "backends/renacer/renacer_json.h"
#include "base/strings.h"
#include "engine/syscalls/stacks.h"

struct renacer_stacks { /* zeroed: empty */
    struct strings strings;
    struct arena arena;
    const struct syscall_frame **frames;
    struct syscall_stack **list; /* by number; NULL: nothing refers to it yet */
    size_t nframes, cap_frames, n, used;
    struct syscall_stacks *sources;
};

/* The stack of a number; its frames are there when the whole file was read. NULL: the number is too
 * large. */
const struct syscall_stack *renacer_stack_of(struct renacer_stacks *s, uint64_t number);
/* These read a value whose first token was read, and return its last one. */
enum json_token renacer_read_frames(struct renacer_stacks *s, struct json_tokens *j);
enum json_token renacer_read_stacks(struct renacer_stacks *s, struct json_tokens *j);
/* {"file": …, "line": …, "function": …}; *out: a stack of this frame, NULL where it says nothing.
 */
enum json_token renacer_read_source(struct renacer_stacks *s, struct json_tokens *j,
                                    const struct syscall_stack **out);
void renacer_stacks_free(struct renacer_stacks *s);
