/*
 * Lets the screen look into a capture: its arguments, code and memory. A thread of its own reads
 * them, so that the screen never waits for a disk. Only the screen's thread calls these functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/capture/capture.h"
#include "engine/capture/kernarg.h"
#include "engine/code/code_object.h"

struct capture_look;
struct capture_look *capture_look_open(const char *path);
void capture_look_close(struct capture_look *l);   /* l may be NULL */
int capture_look_fd(const struct capture_look *l); /* becomes readable when new data has arrived */
void capture_look_drain(struct capture_look *l);   /* makes it unreadable again */
const char *capture_look_path(const struct capture_look *l);

/* The capture. NULL while it is being opened, or if that failed; *why (never NULL) says which. */
const struct capture *capture_look_capture(const struct capture_look *l, const char **why);
/* The kernel that was launched; call it once capture_look_capture has returned a capture. NULL
 * with *why if the code object cannot be read. */
const struct code_kernel *capture_look_kernel(const struct capture_look *l, const char **why);
/* The arguments of the kernel; NULL where the kernel is NULL. */
const struct kernarg *capture_look_args(const struct capture_look *l);

enum look_state { LOOK_THERE, LOOK_COMING, LOOK_MISSING };
/* Copies n bytes (at most a block) of region i from offset on if they are loaded; else requests
 * them. *why: the reason of LOOK_MISSING. after: the memory after the kernel. */
enum look_state capture_look_bytes(struct capture_look *l, size_t region, bool after,
                                   uint64_t offset, void *to, size_t n, const char **why);

struct look_search {
    bool difference; /* search for differences between before and after, not for a pattern */
    bool after;      /* which of the two memories is searched */
    uint8_t pattern[8];
    size_t size;   /* bytes of the pattern: 1, 2, 4 or 8; it is found at multiples of its size */
    size_t region; /* the search begins behind this place */
    uint64_t offset;
    bool backwards;
};
/* Starts a search; ends the previous one. */
void capture_look_find(struct capture_look *l, const struct look_search *s);
struct look_hit {
    bool found;
    size_t region;
    uint64_t offset;
    char why[160]; /* why it could not be searched to the end; "" = it could */
};
/* Returns true once after a search has ended, and fills *out. */
bool capture_look_found(struct capture_look *l, struct look_hit *out);
