/* The spans of the host's threads, in nesting order. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum span_kind {
    SPAN_CALL,  /* a call of CUDA */
    SPAN_OS,    /* a call of a system library */
    SPAN_RANGE, /* pushed and popped: always nested */
    SPAN_LOOSE  /* started and ended anywhere: may overlap other spans */
};

struct nsys_span {
    uint64_t start, end;
    uint32_t thread, name;
    uint32_t link; /* a call's correlation, or a range's domain; 0: none */
    uint8_t kind;
    uint8_t failed;
};

struct span_list {
    struct nsys_span *list;
    size_t n, cap;
};

void nsys_spans_add(struct span_list *s, const struct nsys_span *span);
/*
 * Sorts by the index of the thread in "order" (nthreads), then by start, longer spans before those
 * inside them. Stable. O(n log n), one pass where the list is sorted already.
 */
void nsys_spans_sort(struct span_list *s, const uint32_t *order, uint32_t nthreads);
void nsys_spans_free(struct span_list *s);
