/*
 * Memory that a cell shares with its caller: buffers of some calls (places). It stays while cells
 * come and go.
 *
 * First what both say to each other, then the inputs of all places, then the outputs of all places.
 * For each buffer: a page that nobody may touch, the buffer's pages, and once more such a page.
 * Where the values are in their pages changes from place to place: their end is at most
 * CELL_ALIGN - 1 bytes before that of the pages; they begin where the pages do; they end where the
 * pages do, or one value before, so that they are no more aligned than their type (or the harness's
 * align) says.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/judge/harness.h"
#include "engine/judge/judge.h"

enum {
    CELL_PLACES_LEAST = 4,
    CELL_PLACES_MOST = 4096,
    CELL_PAGES_MOST = 16 << 20, /* bytes of the pages of all places; one place may be larger */
    CELL_BYTES_MOST = 6 << 20,  /* of their values: what the calls of a batch read and write */
    CELL_ALIGN = 64,
    CELL_WHY = 160,
};

/* What the parent says at first. */
struct cell_talk {
    struct harness harness;
    uint64_t places, mapped; /* the first ones have memory */
};

/* Where everything is, from the beginning of the memory. */
struct cell_layout {
    size_t page, talk, bytes; /* of a page, of the talk, of all */
    struct {
        size_t begin, place; /* of the first place; bytes of one place in this part */
    } part[2];               /* inputs, which the cell can only read; outputs */
    size_t nbuffers;
    struct {
        bool written;       /* it is in the part of the outputs */
        size_t run, pages;  /* from the place's beginning in its part; bytes of its pages */
        size_t bytes, step; /* of the values, 0: no array; how they are aligned at least */
    } buffer[JUDGE_ARGUMENTS + 1];
};
void cell_layout_of(struct cell_layout *l, const struct harness *h, size_t places);
/* Where the pages of a buffer begin, and its values, from the beginning of the memory. */
size_t cell_run_at(const struct cell_layout *l, size_t place, size_t i);
size_t cell_data_at(const struct cell_layout *l, size_t place, size_t i);

struct cell_memory {
    struct harness harness;
    struct cell_layout layout;
    size_t places;
    int fd;
    void *base;
    uint64_t cpu_ns;            /* of all processes that had this memory and have ended */
    bool no_counter;            /* it was tried once: nothing is counted here */
    char not_counted[CELL_WHY]; /* why instructions were not; "": they always were */
    bool *has_margins;     /* of each place: they were set, and nobody was seen to write there */
    unsigned char *margin; /* a page of random bytes: what margins hold at such a place of a page */
};

static inline struct cell_talk *cell_talk_of(const struct cell_memory *m)
{
    return m->base;
}

/* Makes as many places as fit, at least CELL_PLACES_LEAST and at most `wanted`. 0, or -errno with
 * err. */
int cell_memory_open(struct cell_memory **out, const struct harness *h, size_t wanted,
                     struct error *err);
void cell_memory_close(struct cell_memory *m); /* NULL allowed */
/* The buffer of a place and of an argument that is an array, or the result. */
void *cell_buffer(const struct cell_memory *m, size_t place, size_t argument);
/* Sets the bytes beside the buffers of a place, where they are not set; cell_margins says whether
 * they are as they were: 0, or 1 with *refused. */
void cell_set_margins(const struct cell_memory *m, size_t place);
int cell_margins(const struct cell_memory *m, size_t place, struct judge_refusal *refused);
