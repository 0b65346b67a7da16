/*
 * Where a file makes system calls, and what of it can be moved to a trampoline. The code is decoded
 * from its begin to its end by Zydis, a library that is opened when it is needed; what was found is
 * kept in the user's folder for state, under the file's build id.
 */
#ifndef ROOFTOP_BACKENDS_RECORDER_SITES_H
#define ROOFTOP_BACKENDS_RECORDER_SITES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "format/syscall_ring.h"

struct site_list {
    struct syscall_site *list; /* malloc'ed */
    size_t n, cap;
    size_t lone; /* `syscall` instructions that must stay where they are */
};

/* False with why: this rooftop was built without Zydis, or the library is not there. */
bool sites_available(struct error *why);
/* The call sites of the ELF file, by offset. False: it has none, cannot be read, or is too large.
 */
bool sites_find(const char *path, struct site_list *out);
/* Those of n bytes of code that lie at this offset of their file. For tests. */
void sites_decode(const uint8_t *code, size_t n, uint64_t offset, struct site_list *out);
void sites_free(struct site_list *s);

#endif
