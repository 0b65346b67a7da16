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
/* Reads a number of any size: decimal, or hexadecimal in a string. false: it is none. */
bool renacer_number(const struct json_tokens *j, enum json_token t, uint64_t *out);

/* Where calls of a saved trace came from: the stacks, which follow the calls in the file and to
 * which these refer by number, and the `source` of single calls. */

struct renacer_stacks { /* zeroed: empty */
    struct strings strings;
    struct arena arena;
    const struct syscall_frame **frames;
    struct syscall_stack **list; /* by number; NULL: no call refers to it yet */
    size_t nframes, cap_frames, n, used;
    struct syscall_stacks *sources;
};

/* The stack of a number, whose frames are complete when the whole file was read. NULL: the number
 * is too large. */
const struct syscall_stack *renacer_stack_of(struct renacer_stacks *s, uint64_t number);
/* These functions read a value after its first token, and return its last token. */
enum json_token renacer_read_frames(struct renacer_stacks *s, struct json_tokens *j);
enum json_token renacer_read_stacks(struct renacer_stacks *s, struct json_tokens *j);
/* Reads {"file": …, "line": …, "function": …}. *out: a stack of this frame; NULL if it is empty. */
enum json_token renacer_read_source(struct renacer_stacks *s, struct json_tokens *j,
                                    const struct syscall_stack **out);
void renacer_stacks_free(struct renacer_stacks *s);
