/*
 * The memory that a cell shares with its parent. First what both say to each other, then the inputs
 * of all places, then the outputs of all places. For each buffer: a page that nobody may touch, the
 * buffer's pages, with its last byte at most 63 bytes before their end, and once more such a page.
 */
#ifndef ROOFTOP_BACKENDS_JUDGE_CELL_MEMORY_H
#define ROOFTOP_BACKENDS_JUDGE_CELL_MEMORY_H

#include "engine/judge/cell.h"

enum {
    CELL_SOCKET = 3, /* descriptors of the child */
    CELL_MEMORY = 4,
    CELL_PLACES_MOST = 4096,
    CELL_PAGES_MOST = 16 << 20, /* bytes of the pages of all places; one place may be larger */
    CELL_BYTES_MOST = 6 << 20,  /* of their values: what the calls of a batch read and write */
    CELL_ALIGN = 64,
    CELL_SEEN = 16,
};

/* What ended the child. */
enum cell_end {
    CELL_RUNS,
    CELL_NO_OBJECT, /* text: what the loader says */
    CELL_NO_FUNCTION,
    CELL_TLS,     /* the object has thread-local data */
    CELL_SIGNAL,  /* number, address, seen */
    CELL_SYSCALL, /* number */
    CELL_MODE,    /* a call left another rounding mode */
};

struct cell_talk {
    struct harness harness;
    uint64_t places, mapped;  /* the first ones have memory */
    uint64_t base;            /* where the child has the memory */
    uint64_t data, data_size; /* where the object's static data is */
    uint32_t end;             /* enum cell_end */
    int32_t number, code;
    uint64_t address, at;    /* of what was touched, of the code */
    uint8_t seen[CELL_SEEN]; /* the code's bytes */
    char text[256];
    uint32_t order[CELL_PLACES_MOST];
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
        size_t data, bytes; /* of the values; 0 bytes: no array */
    } buffer[JUDGE_ARGUMENTS + 1];
};
void cell_layout_of(struct cell_layout *l, const struct harness *h, size_t places);
/* Where the pages of a buffer begin, and its values, from the beginning of the memory. */
size_t cell_run_at(const struct cell_layout *l, size_t place, size_t i);
size_t cell_data_at(const struct cell_layout *l, size_t place, size_t i);

struct cell_word {
    uint32_t serial, what, n;
};
/* The parent says BEGIN, the child READY when it has loaded the object; the parent says GO for n
 * calls, the child GO after them. */
enum { CELL_READY, CELL_GO, CELL_BEGIN };

#endif
