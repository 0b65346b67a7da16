/*
 * Memory that a sandbox shares with its caller: the buffers of some calls, a slot for each. It
 * stays while sandboxes come and go.
 *
 * First what the parent says at the start, then the inputs of all slots, then the outputs of all
 * slots. For each buffer: a page that nobody may touch, the buffer's pages, and once more such a
 * page. Where the values are in their pages changes from slot to slot: their end is at most
 * SANDBOX_ALIGN - 1 bytes before that of the pages; they begin where the pages do; they end where
 * the pages do, or one value before, so that they are no more aligned than their type (or the
 * harness's align) says.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/judge/harness.h"
#include "engine/judge/judge.h"

enum {
    SANDBOX_SLOTS_LEAST = 4,
    SANDBOX_SLOTS_MOST = 4096,
    SANDBOX_PAGES_MOST = 16 << 20, /* bytes of the pages of all slots; one slot may be larger */
    SANDBOX_BYTES_MOST = 6 << 20,  /* of their values: what the calls of a batch read and write */
    SANDBOX_ALIGN = 64,
    SANDBOX_WHY = 160,
};

/* What the parent says at first. */
struct sandbox_start {
    struct harness harness;
    uint64_t slots, mapped; /* the first ones have memory */
};

/* Where everything is, from the beginning of the memory. */
struct sandbox_layout {
    size_t page, start, bytes; /* of a page, of the first part, of all */
    struct {
        size_t begin, slot; /* of the first slot; bytes of one slot in this part */
    } part[2];              /* inputs, which the sandbox can only read; outputs */
    size_t nbuffers;
    struct {
        bool written;       /* it is in the part of the outputs */
        size_t run, pages;  /* from the slot's beginning in its part; bytes of its pages */
        size_t bytes, step; /* of the values, 0: no array; how they are aligned at least */
    } buffer[JUDGE_ARGUMENTS + 1];
};
void sandbox_layout_of(struct sandbox_layout *l, const struct harness *h, size_t slots);
/* Where the pages of a buffer begin, and its values, from the beginning of the memory. */
size_t sandbox_run_at(const struct sandbox_layout *l, size_t slot, size_t i);
size_t sandbox_data_at(const struct sandbox_layout *l, size_t slot, size_t i);

struct sandbox_memory {
    struct harness harness;
    struct sandbox_layout layout;
    size_t slots;
    int fd;
    void *base;
    uint64_t cpu_ns;               /* of all processes that had this memory and have ended */
    bool no_counter;               /* it was tried once: nothing is counted here */
    char not_counted[SANDBOX_WHY]; /* why instructions were not; "": they always were */
    bool *has_margins;     /* of each slot: they were set, and nobody was seen to write there */
    unsigned char *margin; /* a page of random bytes: what margins hold there */
};

static inline struct sandbox_start *sandbox_start_of(const struct sandbox_memory *m)
{
    return m->base;
}

/* Makes as many slots as fit, at least SANDBOX_SLOTS_LEAST and at most `wanted`. 0, or -errno with
 * err. */
int sandbox_memory_open(struct sandbox_memory **out, const struct harness *h, size_t wanted,
                        struct error *err);
void sandbox_memory_close(struct sandbox_memory *m); /* NULL allowed */
/* The buffer of a slot and of an argument that is an array, or the result. */
void *sandbox_buffer(const struct sandbox_memory *m, size_t slot, size_t argument);
/* Sets the bytes beside the buffers of a slot, where they are not set; sandbox_margins says
 * whether they are as they were: 0, or 1 with *refused. */
void sandbox_set_margins(const struct sandbox_memory *m, size_t slot);
int sandbox_margins(const struct sandbox_memory *m, size_t slot, struct judge_refusal *refused);
