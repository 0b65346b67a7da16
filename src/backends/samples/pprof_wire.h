/* Reads the wire format of protocol buffers (protobuf.dev/programming-guides/encoding): fields with
 * a number and a type, from bytes in memory. Nothing outside of the bytes is read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pprof_wire_type { PPROF_VARINT, PPROF_EIGHT_BYTES, PPROF_BYTES, PPROF_FOUR_BYTES = 5 };

struct pprof_bytes {
    const uint8_t *p;
    size_t n;
};
struct pprof_field {
    uint64_t number;
    uint8_t type;
    uint64_t value;           /* PPROF_VARINT */
    struct pprof_bytes bytes; /* PPROF_BYTES */
    const uint8_t *at;        /* where it begins */
};
struct pprof_wire {
    const uint8_t *p, *end;
    const uint8_t *bad; /* where the first damage is; NULL: none so far */
};

/* A number of 1 to 10 bytes. false at the end, or if it is damaged. */
bool pprof_number(struct pprof_wire *w, uint64_t *out);
/* The next field; false at the end, or if it is damaged. */
bool pprof_next(struct pprof_wire *w, struct pprof_field *out);
/* What is in a field of type PPROF_BYTES; nothing in others. */
struct pprof_wire pprof_inside(const struct pprof_field *f);
