#include "backends/samples/pprof_wire.h"

bool pprof_number(struct pprof_wire *w, uint64_t *out)
{
    const uint8_t *at = w->p;
    uint64_t v = 0;
    if (w->bad || at == w->end)
        return false;
    for (unsigned shift = 0; at < w->end && shift < 64; shift += 7) {
        v |= (uint64_t)(*at & 0x7f) << shift;
        if (*at++ < 0x80) {
            *out = v;
            w->p = at;
            return true;
        }
    }
    w->bad = w->p;
    return false;
}

/* Passes over n bytes; false: there are fewer. */
static bool take_wire_bytes(struct pprof_wire *w, uint64_t n, struct pprof_bytes *out)
{
    if (n > (uint64_t)(w->end - w->p))
        return false;
    *out = (struct pprof_bytes){w->p, (size_t)n};
    w->p += n;
    return true;
}

bool pprof_next(struct pprof_wire *w, struct pprof_field *out)
{
    uint64_t tag, n;
    *out = (struct pprof_field){.at = w->p};
    if (!pprof_number(w, &tag))
        return false;
    out->number = tag >> 3;
    out->type = tag & 7;
    bool whole = false;
    switch (out->type) {
    case PPROF_VARINT:
        whole = pprof_number(w, &out->value);
        break;
    case PPROF_EIGHT_BYTES:
        whole = take_wire_bytes(w, 8, &out->bytes);
        break;
    case PPROF_BYTES:
        whole = pprof_number(w, &n) && take_wire_bytes(w, n, &out->bytes);
        break;
    case PPROF_FOUR_BYTES:
        whole = take_wire_bytes(w, 4, &out->bytes);
        break;
    default: /* groups: no writer of profiles uses them */
        break;
    }
    if (!whole)
        w->bad = out->at;
    return whole;
}

struct pprof_wire pprof_inside(const struct pprof_field *f)
{
    if (f->type != PPROF_BYTES)
        return (struct pprof_wire){0};
    return (struct pprof_wire){f->bytes.p, f->bytes.p + f->bytes.n, NULL};
}
