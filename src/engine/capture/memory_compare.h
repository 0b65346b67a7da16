/*
 * Compares the memory that a kernel left (the result) with what it should have left (the oracle),
 * chunk by chunk in bounded memory. Equal stretches cost a memcmp. The largest errors are measured
 * over all elements that differ, including those within the tolerance.
 */
#pragma once

#include "engine/capture/memory_type.h"

enum { MEMORY_ROWS = 64, MEMORY_RANGES = 256 };

enum memory_nan {
    MEMORY_NAN_EQUAL, /* any two NaN are equal */
    MEMORY_NAN_BITS,  /* two NaN are equal if their bits are */
    MEMORY_NAN_NEVER, /* a NaN differs from everything */
};

/* Two elements are equal if |result - oracle| <= absolute + relative * |oracle|, or if at most
 * `ulps` representable numbers lie between them. An infinity equals only itself; 0 equals -0. The
 * same rule holds for integers. */
struct memory_tolerance {
    bool exact; /* bits must be equal, whatever the type; the other members are ignored */
    double absolute, relative;
    uint64_t ulps;
    enum memory_nan nan;
};

struct memory_row {          /* an element that differs */
    uint64_t offset;         /* bytes from the beginning of the memory */
    uint64_t result, oracle; /* bits */
};
struct memory_range {
    uint64_t begin, end; /* bytes from the beginning; a range of elements that differ */
    uint64_t differing;  /* number of differing elements; a joined range also contains equal ones */
};

struct memory_compare {
    enum memory_type type;
    struct memory_tolerance tolerance;
    uint32_t rows_wanted;
    uint64_t bytes; /* number of bytes compared so far */
    uint64_t elements;
    uint64_t unequal;   /* elements whose bits differ, within the tolerance or not */
    uint64_t differing; /* elements that differ beyond the tolerance */
    uint64_t nans;      /* those of them in which either element is a NaN */
    struct memory_row rows[MEMORY_ROWS]; /* the first elements that differ */
    uint32_t nrows;
    /* Sorted by offset. Adjacent elements share a range; if there are too many ranges, near ones
     * are joined. */
    struct memory_range ranges[MEMORY_RANGES];
    uint32_t nranges;
    uint64_t gap; /* bytes; ranges that are not farther apart than this are joined */
    bool joined;  /* some ranges contain elements that do not differ */
    /* Largest errors over all elements whose bits differ, without NaN, and the offset of the first
     * with the largest absolute one. Infinite if only one of the two is. max_relative is relative
     * to |oracle|: infinite if that is 0. */
    double max_absolute, max_relative;
    uint64_t max_ulps;
    uint64_t max_absolute_at;
    /* an element that began in the previous chunk */
    uint8_t carry_result[8], carry_oracle[8];
    size_t carry;
};

/* rows: how many differing elements to keep, at most MEMORY_ROWS. */
void memory_compare_start(struct memory_compare *c, enum memory_type type,
                          const struct memory_tolerance *tolerance, uint32_t rows);
/* Compares the next n bytes of both; a chunk may end inside an element. */
void memory_compare_feed(struct memory_compare *c, const void *result, const void *oracle,
                         size_t n);
/* Compares what follows the last whole element as bytes. Returns whether nothing differs beyond
 * the tolerance. */
bool memory_compare_finish(struct memory_compare *c);
