/*
 * Compares what a kernel left in memory with what it should have left, chunk by chunk in bounded
 * memory. Equal stretches cost a memcmp. Errors are measured over all that differ, also over what a
 * tolerance lets pass.
 */
#ifndef ROOFTOP_ENGINE_CAPTURE_MEMORY_COMPARE_H
#define ROOFTOP_ENGINE_CAPTURE_MEMORY_COMPARE_H

#include "engine/capture/memory_type.h"

enum { MEMORY_ROWS = 64, MEMORY_RANGES = 256 };

enum memory_nan {
    MEMORY_NAN_EQUAL, /* any NaN is as good as any other */
    MEMORY_NAN_BITS,  /* only the same bits */
    MEMORY_NAN_NEVER, /* a NaN always differs */
};

/* Elements are equal where |result - oracle| <= absolute + relative * |oracle|, or where they are
 * at most ulps representable numbers apart; an infinity equals only itself, 0 equals -0. Integers
 * know the same rule. */
struct memory_tolerance {
    bool exact; /* the same bits, whatever the type; the rest is not looked at */
    double absolute, relative;
    uint64_t ulps;
    enum memory_nan nan;
};

struct memory_row {          /* an element that differs */
    uint64_t offset;         /* bytes from the begin */
    uint64_t result, oracle; /* bits */
};
struct memory_range {
    uint64_t begin, end; /* bytes; of elements that differ */
    uint64_t differing;  /* elements; fewer than it spans where ranges were joined */
};

struct memory_compare {
    enum memory_type type;
    struct memory_tolerance tolerance;
    uint32_t rows_wanted;
    uint64_t bytes; /* compared so far */
    uint64_t elements;
    uint64_t unequal;   /* elements whose bits differ, within the tolerance or not */
    uint64_t differing; /* elements beyond the tolerance */
    uint64_t nans;      /* of these: one of the two is NaN, or both */
    struct memory_row rows[MEMORY_ROWS]; /* the first */
    uint32_t nrows;
    /* By offset. Neighbours are one; where there would be too many, those near each other are. */
    struct memory_range ranges[MEMORY_RANGES];
    uint32_t nranges;
    uint64_t gap; /* bytes between two ranges that are taken for one */
    bool joined;  /* ranges hold elements that do not differ */
    /* Over unequal elements without NaN; offset of the first that has it. Infinite where one is and
     * the other is not. max_relative: of |oracle|; infinite where the oracle is 0. */
    double max_absolute, max_relative;
    uint64_t max_ulps;
    uint64_t max_absolute_at;
    /* an element that began in the chunk before */
    uint8_t carry_result[8], carry_oracle[8];
    size_t carry;
};

/* rows: how many differing elements are kept, MEMORY_ROWS at most. */
void memory_compare_start(struct memory_compare *c, enum memory_type type,
                          const struct memory_tolerance *tolerance, uint32_t rows);
/* The next n bytes of both; chunks may end inside elements. */
void memory_compare_feed(struct memory_compare *c, const void *result, const void *oracle,
                         size_t n);
/* What is behind the last whole element is compared as bytes. Returns whether nothing differs. */
bool memory_compare_finish(struct memory_compare *c);

#endif
