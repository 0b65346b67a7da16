#include "export/otlp/otlp_batch.h"

#include "base/env.h"

static void hand_over_batch(struct otlp_batch *b)
{
    struct otlp_bytes head = {0}, tail = {0};
    if (b->n == 0)
        return;
    if (b->rc == 0) {
        b->format->wrap(&head, &tail, b->resource, b->spans.n);
        const struct otlp_message m = {.format = b->format,
                                       .part = {head.data, b->spans.data, tail.data},
                                       .size = {head.n, b->spans.n, tail.n},
                                       .spans = b->n};
        b->rc = b->take(b->ctx, &m, &b->err);
    }
    otlp_bytes_free(&head);
    otlp_bytes_free(&tail);
    b->spans.n = 0;
    b->n = 0;
}

void otlp_batch_add(struct otlp_batch *b, const struct otlp_span *s)
{
    if (b->rc != 0)
        return;
    if (b->n == 0)
        b->first_ns = env_now_ns();
    b->format->span(&b->spans, s, b->n == 0);
    b->n++;
    b->total++;
    if (b->spans.n >= OTLP_BATCH_BYTES || b->n >= OTLP_BATCH_SPANS)
        hand_over_batch(b);
}

void otlp_batch_tick(struct otlp_batch *b)
{
    if (b->n && env_now_ns() - b->first_ns >= OTLP_BATCH_NS)
        hand_over_batch(b);
}

int otlp_batch_end(struct otlp_batch *b, struct error *err)
{
    hand_over_batch(b);
    otlp_bytes_free(&b->spans);
    if (b->rc != 0)
        *err = b->err;
    return b->rc;
}
