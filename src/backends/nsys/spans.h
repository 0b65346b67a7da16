/* What the threads of the host did, in the order in which it nests. */
#ifndef ROOFTOP_BACKENDS_NSYS_SPANS_H
#define ROOFTOP_BACKENDS_NSYS_SPANS_H

#include <stddef.h>
#include <stdint.h>

enum span_kind {
    SPAN_CALL,  /* of CUDA */
    SPAN_OS,    /* of the system's libraries */
    SPAN_RANGE, /* pushed and popped: nests by construction */
    SPAN_LOOSE  /* started and ended anywhere: may overlap what it likes */
};

struct span {
    uint64_t start, end;
    uint32_t thread, name;
    uint32_t link; /* a call's correlation, a range's domain; 0: neither */
    uint8_t kind;
    uint8_t failed;
};

struct span_list {
    struct span *list;
    size_t n, cap;
};

void nsys_spans_add(struct span_list *s, const struct span *span);
/* By the place of their thread in "order" (nthreads), then by start, the longer before what it
 * holds; what is equal stays as it was. O(n log n), and one pass over what is in order already. */
void nsys_spans_sort(struct span_list *s, const uint32_t *order, uint32_t nthreads);
void nsys_spans_free(struct span_list *s);

#endif
