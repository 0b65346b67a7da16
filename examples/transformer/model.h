/*
 * A small decoder-only transformer that produces one token after another, with a cache of keys and
 * values. Weights come from a seed: what it says means nothing, what it computes is real.
 */
#ifndef TRANSFORMER_MODEL_H
#define TRANSFORMER_MODEL_H

#include <stdint.h>

#include "kernels.h"
#include "pool.h"

struct shape {
    int layers, dim, heads, ffn, vocab, context;
};

struct model;
/* NULL where there is no memory. */
struct model *model_new(const struct shape *s, uint64_t seed);
void model_free(struct model *m);
/* Bytes of its weights. */
uint64_t model_bytes(const struct model *m);

/* Sets the kernels, the number of threads and the scope of librooftop. Ids are asked for once. */
void model_backend(struct model *m, const struct kernels *k, int threads, uint32_t id);
/* Forgets all tokens. */
void model_reset(struct model *m);
/*
 * One forward pass: token in, the most likely next token out. Timed by librooftop: a function scope
 * "forward", layers, bricks, kernels, slices of worker threads. Beyond the context it begins anew.
 */
int model_step(struct model *m, const struct kernels *k, struct pool *p, int token);
/* The logits of the last step: vocab floats. */
const float *model_logits(const struct model *m);

#endif
