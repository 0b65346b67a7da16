/* Reads the memory that the arguments of a call point to, while it is traced. */
#pragma once

#include "engine/syscalls/memory.h"

/* Adds the memory that the arguments of the call e point to. At its entry: what the kernel will
 * read; at its return (at_return): what it wrote, which may depend on e->result. limit: bytes kept
 * of each string and buffer; structures, vectors and paths are always whole, within SYSCALL_PIECES
 * bytes together. */
void syscall_fetch(const struct syscall_event *e, bool at_return, const struct syscall_memory *m,
                   uint32_t limit, struct syscall_pieces *out);
