/* What the files of backends/renacer share among themselves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "engine/syscalls/stacks.h"
#include "json/tokens.h"

/* Whether the text of the current token, a key or string, is name. */
bool renacer_is(const struct json_tokens *j, const char *name);
void renacer_text(const struct json_tokens *j, char *out, size_t size);
/* A number of any size: decimal, or hexadecimal in a string. False: it is none. */
bool renacer_number(const struct json_tokens *j, enum json_token t, uint64_t *out);

/*
 * Where calls of a saved trace came from: the stacks that stand behind its calls, which refer to
 * them by number, and the `source` of single calls.
 */

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
