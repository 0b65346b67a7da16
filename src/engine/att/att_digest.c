#include "engine/att/att_digest.h"

#include <stdlib.h>

void att_digest_make(struct att_digest *out, struct att *trace)
{
    static _Atomic uint64_t last;
    *out = (struct att_digest){.id = ++last, .trace = *trace};
    *trace = (struct att){0};
    const struct att *a = &out->trace;
    att_totals(a, &out->totals);
    att_ipc(a, &out->ipc);
    out->hot = att_hottest(a, &out->nhot);
    while (out->nhot) { /* rows that never ran are sorted last */
        const struct att_row *r = &a->rows[out->hot[out->nhot - 1]];
        if (r->hits || r->latency || r->issued || r->stalled)
            break;
        out->nhot--;
    }
    out->occupancy = att_occupancy(a, &out->nengines);
    if (!att_span(a, &out->from, &out->to))
        out->to = out->from;
}

int att_set_open(struct att_set *out, const char *path, uint32_t most, struct error *err)
{
    struct att_places p = {0};
    *out = (struct att_set){0};
    int rc = att_reader.list(&p, path, err);
    for (uint32_t i = 0; i < p.n && i < most && rc == 0; i++) {
        struct att a = {0};
        rc = att_reader.read(&a, &p.list[i], err);
        if (rc == 0) {
            out->list = att_grow(out->list, out->n, sizeof *out->list);
            att_digest_make(&out->list[out->n++], &a);
        }
        att_free(&a);
    }
    out->left_out = p.n > most ? p.n - most : 0;
    att_places_free(&p);
    return rc;
}

void att_set_free(struct att_set *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        free(s->list[i].hot);
        free(s->list[i].occupancy);
        att_free(&s->list[i].trace);
    }
    free(s->list);
    *s = (struct att_set){0};
}

uint64_t att_issues_bins(const struct att *a, uint32_t line, int64_t from, int64_t to, uint32_t n,
                         double *out, int64_t *middle)
{
    double width = (double)(to - from) / (n ? n : 1), sum = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        out[i] = 0;
    for (uint32_t i = 0; i < a->ninstructions && to > from; i++) {
        const struct att_instruction *in = &a->instructions[i];
        int64_t time = in->time + in->stall;
        if (in->line != line)
            continue;
        count++;
        sum += (double)time;
        if (time < from || time >= to)
            continue;
        uint32_t k = (uint32_t)((double)(time - from) / width);
        out[k < n ? k : n - 1] += 1;
    }
    if (count)
        *middle = (int64_t)(sum / (double)count);
    return count;
}
