/*
 * Lets the screen look into a capture: its arguments, code and memory. A thread of its own reads
 * them, so that the screen never waits for a disk. Only the screen's thread calls these functions.
 */
#ifndef ROOFTOP_ENGINE_CAPTURE_CAPTURE_LOOK_H
#define ROOFTOP_ENGINE_CAPTURE_CAPTURE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/capture/capture.h"
#include "engine/code/code_object.h"
#include "engine/capture/kernarg.h"

struct capture_look;
struct capture_look *capture_look_open(const char *path);
void capture_look_close(struct capture_look *l);   /* NULL allowed */
int capture_look_fd(const struct capture_look *l); /* readable when new data has come */
void capture_look_drain(struct capture_look *l);   /* clears that state */
const char *capture_look_path(const struct capture_look *l);

/* The capture. NULL while it is being opened, or if that failed; *why (never NULL) says which. */
const struct capture *capture_look_capture(const struct capture_look *l, const char **why);
/* Of the kernel that was launched; NULL with why where the code object cannot be read. After
 * capture_look_capture gave one. */
const struct code_kernel *capture_look_kernel(const struct capture_look *l, const char **why);
const struct kernarg *capture_look_args(const struct capture_look *l); /* NULL as above */

enum look_state { LOOK_THERE, LOOK_COMING, LOOK_MISSING };
/* n bytes (at most a block) of region i from offset on, where they are there; else they are asked
 * for. why: of LOOK_MISSING. after: the memory the kernel left. */
enum look_state capture_look_bytes(struct capture_look *l, size_t region, bool after,
                                   uint64_t offset, void *to, size_t n, const char **why);

struct look_search {
    bool difference; /* of before and after; else of the pattern */
    bool after;      /* which of the two is looked through */
    uint8_t pattern[8];
    size_t size;   /* of the pattern: 1, 2, 4 or 8; found at multiples of it */
    size_t region; /* from where on, without that place itself */
    uint64_t offset;
    bool backwards;
};
/* Starts a search, and ends the one before. */
void capture_look_find(struct capture_look *l, const struct look_search *s);
struct look_hit {
    bool found;
    size_t region;
    uint64_t offset;
    char why[160]; /* why it could not be searched to the end; "" */
};
/* True once after a search has ended; fills *out. */
bool capture_look_found(struct capture_look *l, struct look_hit *out);

#endif
