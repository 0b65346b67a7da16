/* Adding to the pieces of an event: for fetching, and for readers of saved traces. */
#pragma once

#include "engine/syscalls/memory.h"

/* Returns room for n bytes, to be filled and then added; NULL if the limit (SYSCALL_PIECES) or
 * memory is used up. Pieces that were lent before become invalid. */
uint8_t *syscall_pieces_room(struct syscall_pieces *p, size_t n);
/* Makes a piece of the first n bytes of the room. */
void syscall_pieces_add(struct syscall_pieces *p, uint64_t address, size_t n, bool at_return,
                        bool cut);
