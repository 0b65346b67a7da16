#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <rooftop/brick.h>

#define KERNELS_SOURCE "examples/transformer/kernels.inc"

enum { THREADS_MAX = 64 };

struct layer {
    rooftop_id id;
    float *norm1, *qkv, *out, *norm2, *gate, *up, *down; /* rows * cols, row after row */
};

struct model {
    struct shape s;
    float *weights, *embedding, *norm, *head; /* all weights; parts of it */
    uint64_t nweights;
    struct layer *layers;
    float *keys, *values; /* layers * context * dim */
    float *x, *h, *q, *a, *g, *u, *scores, *logits;
    int position;
    rooftop_id backend; /* the scope of worker threads */
    rooftop_id gemv;    /* the kernel of that backend */
    rooftop_id forward;
    rooftop_timer scopes[THREADS_MAX]; /* of that backend, open in each worker thread */
    rooftop_id scope_ids[THREADS_MAX];
    uint64_t before; /* span of the brick that ended last: what workers wait for */
};

/* --- weights --- */

/* xorshift64*; G. Marsaglia, "Xorshift RNGs", J. Stat. Softw. 8(14), 2003; uniform in -1..1 */
static float next_weight(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (float)((*state * UINT64_C(2685821657736338717)) >> 40) / 8388608.0f - 1.0f;
}

static float *take(float **at, uint64_t n, float scale, uint64_t *seed)
{
    float *begin = *at;
    for (uint64_t i = 0; i < n; i++)
        begin[i] = seed ? next_weight(seed) * scale : scale;
    *at += n;
    return begin;
}

static uint64_t layer_weights(const struct shape *s)
{
    uint64_t d = (uint64_t)s->dim, f = (uint64_t)s->ffn;
    return 2 * d + 3 * d * d + d * d + 3 * d * f;
}

static void fill(struct model *m, uint64_t seed)
{
    const struct shape *s = &m->s;
    uint64_t d = (uint64_t)s->dim, f = (uint64_t)s->ffn, v = (uint64_t)s->vocab;
    float *at = m->weights, small = 1 / sqrtf((float)d);
    m->embedding = take(&at, v * d, 1, &seed);
    for (int i = 0; i < s->layers; i++) {
        struct layer *l = &m->layers[i];
        l->norm1 = take(&at, d, 1, NULL);
        l->qkv = take(&at, 3 * d * d, small, &seed);
        l->out = take(&at, d * d, small, &seed);
        l->norm2 = take(&at, d, 1, NULL);
        l->gate = take(&at, f * d, small, &seed);
        l->up = take(&at, f * d, small, &seed);
        l->down = take(&at, d * f, 1 / sqrtf((float)f), &seed);
    }
    m->norm = take(&at, d, 1, NULL);
    m->head = take(&at, v * d, small, &seed);
}

struct model *model_new(const struct shape *s, uint64_t seed)
{
    struct model *m = calloc(1, sizeof *m);
    uint64_t d = (uint64_t)s->dim, v = (uint64_t)s->vocab;
    uint64_t cache = (uint64_t)s->layers * (uint64_t)s->context * d;
    uint64_t work =
        2 * d + 3 * d + d + 2 * (uint64_t)s->ffn + v + (uint64_t)s->heads * (uint64_t)s->context;
    if (!m)
        return NULL;
    m->s = *s;
    m->nweights = 2 * v * d + d + (uint64_t)s->layers * layer_weights(s);
    m->weights = malloc(m->nweights * sizeof(float));
    m->layers = calloc((size_t)s->layers, sizeof *m->layers);
    m->keys = calloc(2 * cache, sizeof(float));
    m->x = calloc(work, sizeof(float));
    if (!m->weights || !m->layers || !m->keys || !m->x) {
        model_free(m);
        return NULL;
    }
    m->values = m->keys + cache;
    m->h = m->x + d;
    m->q = m->h + d; /* queries, and room for the new keys and values behind them */
    m->a = m->q + 3 * d;
    m->g = m->a + d;
    m->u = m->g + s->ffn;
    m->logits = m->u + s->ffn;
    m->scores = m->logits + v;
    fill(m, seed ? seed : 1);
    return m;
}

void model_free(struct model *m)
{
    free(m->weights);
    free(m->layers);
    free(m->keys);
    free(m->x);
    free(m);
}

uint64_t model_bytes(const struct model *m)
{
    return m->nweights * sizeof(float);
}

void model_reset(struct model *m)
{
    m->position = 0;
}

const float *model_logits(const struct model *m)
{
    return m->logits;
}

/* --- bricks --- */

static void end(struct model *m, rooftop_timer t, uint64_t elements, uint64_t bytes, uint64_t flops)
{
    rooftop_stop_work(t, elements, bytes, flops);
    m->before = t.span;
}

/* --- matrix times vector, its rows over all threads --- */

struct job {
    struct model *m;
    const struct kernels *k;
    float *y;
    const float *w, *x;
    size_t rows, cols;
    uint64_t spans[THREADS_MAX];
    uint64_t before;
};

/* The caller's thread is in the backend's scope already; a worker goes in once and stays. */
static void enter_backend(struct model *m, int i)
{
    if (i == 0 || (m->scope_ids[i] == m->backend && m->scopes[i].span))
        return;
    rooftop_stop(m->scopes[i], 0);
    m->scopes[i] = rooftop_start(m->backend);
    m->scope_ids[i] = m->backend;
}

static void gemv_slice(void *ctx, int i, int n)
{
    struct job *j = ctx;
    size_t from = j->rows * (size_t)i / (size_t)n, to = j->rows * (size_t)(i + 1) / (size_t)n;
    size_t rows = to - from;
    enter_backend(j->m, i);
    rooftop_timer t = rooftop_start(j->m->gemv);
    if (i > 0)
        rooftop_depends(j->before, t.span);
    j->spans[i] = t.span;
    j->k->gemv(j->y + from, j->w + from * j->cols, j->x, rows, j->cols);
    /* reads its rows and x, writes y; a multiply and an add for every weight */
    rooftop_stop_work(t, rows * j->cols, 4 * (rows * j->cols + j->cols + rows), 2 * rows * j->cols);
}

static rooftop_id gemv_id(const struct kernels *k, int threads)
{
    /* Describes a launch on a CPU: a grid of threads, each with a block of lanes. The same
     * description gives the same id. */
    uint32_t grid[3] = {(uint32_t)threads, 1, 1}, block[3] = {k->lanes, 1, 1};
    char name[48] = "gemv_";
    strncat(name, k->name, 16);
    /* Tells where its source is, so that rooftop shows it beside the kernel. */
    uint64_t hash = rooftop_code(ROOFTOP_HOST_CODE, name, KERNELS_SOURCE, NULL, 0);
    return rooftop_kernel(name, hash, grid, block, 0);
}

static void brick_gemv(struct model *m, const struct kernels *k, struct pool *p, rooftop_id brick,
                       float *y, const float *w, const float *x, size_t rows, size_t cols)
{
    struct job j = {m, k, y, w, x, rows, cols, {0}, m->before};
    rooftop_timer t = rooftop_start(brick);
    pool_run(p, gemv_slice, &j);
    for (int i = 1; i < pool_threads(p); i++) /* the brick has waited for the workers */
        rooftop_joins(j.spans[i], t.span);
    end(m, t, rows, 4 * (rows * cols + cols + rows), 2 * rows * cols);
}

static void brick_norm(struct model *m, const struct kernels *k, float *y, const float *x,
                       const float *g)
{
    size_t n = (size_t)m->s.dim;
    rooftop_timer t = rooftop_start(ROOFTOP_RMS_NORM);
    k->rms_norm(y, x, g, n);
    end(m, t, n, 4 * 3 * n, 4 * n); /* x^2 and its sum, scale, gain */
}

/* --- attention --- */

/* J. Su and others, "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021: pairs of
 * a head turn by position * 10000^(-2i/size). */
static void rope(float *v, int heads, int size, int position)
{
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < size / 2; i++) {
            float angle = (float)position * powf(10000.0f, -2.0f * (float)i / (float)size);
            float c = cosf(angle), s = sinf(angle), *p = v + h * size + 2 * i, a = p[0], b = p[1];
            p[0] = a * c - b * s;
            p[1] = a * s + b * c;
        }
}

static void softmax(float *v, int n)
{
    float most = v[0], sum = 0;
    for (int i = 1; i < n; i++)
        most = v[i] > most ? v[i] : most;
    for (int i = 0; i < n; i++)
        sum += v[i] = expf(v[i] - most);
    for (int i = 0; i < n; i++)
        v[i] /= sum;
}

/* Attends to all positions up to this one, and to none after it. */
static void attention(struct model *m, const struct kernels *k, const float *keys,
                      const float *values)
{
    int d = m->s.dim, heads = m->s.heads, size = d / heads, n = m->position + 1;
    uint64_t work = (uint64_t)n * (uint64_t)d, scores = (uint64_t)heads * (uint64_t)n;
    float scale = 1 / sqrtf((float)size);
    rooftop_timer t = rooftop_start(ROOFTOP_ATTENTION_SCORE);
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < n; i++)
            m->scores[h * m->s.context + i] =
                k->dot(m->q + h * size, keys + i * d + h * size, (size_t)size) * scale;
    end(m, t, scores, 4 * (work + (uint64_t)d + scores), 2 * work);
    t = rooftop_start(ROOFTOP_ATTENTION_SOFTMAX);
    for (int h = 0; h < heads; h++)
        softmax(m->scores + h * m->s.context, n);
    end(m, t, scores, 0, 0);
    t = rooftop_start(ROOFTOP_ATTENTION_OUTPUT);
    memset(m->a, 0, (size_t)d * sizeof(float));
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < n; i++)
            k->axpy(m->a + h * size, m->scores[h * m->s.context + i], values + i * d + h * size,
                    (size_t)size);
    end(m, t, (uint64_t)d, 4 * (work + (uint64_t)d), 2 * work);
}

static void attention_block(struct model *m, const struct kernels *k, struct pool *p,
                            const struct layer *l, int index)
{
    size_t d = (size_t)m->s.dim, cache = (size_t)index * (size_t)m->s.context * d;
    float *keys = m->keys + cache, *values = m->values + cache;
    int heads = m->s.heads, size = m->s.dim / heads;
    brick_norm(m, k, m->h, m->x, l->norm1);
    brick_gemv(m, k, p, ROOFTOP_QKV_PROJECTION, m->q, l->qkv, m->h, 3 * d, d);
    rooftop_timer t = rooftop_start(ROOFTOP_ROPE_EMBEDDING);
    rope(m->q, heads, size, m->position);
    rope(m->q + d, heads, size, m->position);
    memcpy(keys + (size_t)m->position * d, m->q + d, d * sizeof(float));
    memcpy(values + (size_t)m->position * d, m->q + 2 * d, d * sizeof(float));
    end(m, t, 2 * d, 0, 0);
    attention(m, k, keys, values);
    brick_gemv(m, k, p, ROOFTOP_OUTPUT_PROJECTION, m->h, l->out, m->a, d, d);
    k->axpy(m->x, 1, m->h, d);
}

static void ffn_block(struct model *m, const struct kernels *k, struct pool *p,
                      const struct layer *l)
{
    size_t d = (size_t)m->s.dim, f = (size_t)m->s.ffn;
    brick_norm(m, k, m->h, m->x, l->norm2);
    brick_gemv(m, k, p, ROOFTOP_GATE_PROJECTION, m->g, l->gate, m->h, f, d);
    brick_gemv(m, k, p, ROOFTOP_UP_PROJECTION, m->u, l->up, m->h, f, d);
    rooftop_timer t = rooftop_start(ROOFTOP_ACTIVATION);
    for (size_t i = 0; i < f; i++) /* SiLU, gated */
        m->g[i] = m->g[i] / (1 + expf(-m->g[i])) * m->u[i];
    end(m, t, f, 0, 0);
    brick_gemv(m, k, p, ROOFTOP_DOWN_PROJECTION, m->h, l->down, m->g, d, f);
    k->axpy(m->x, 1, m->h, d);
}

static int sample(struct model *m)
{
    int best = 0;
    rooftop_timer t = rooftop_start(ROOFTOP_SAMPLING);
    for (int i = 1; i < m->s.vocab; i++)
        if (m->logits[i] > m->logits[best])
            best = i;
    end(m, t, (uint64_t)m->s.vocab, 0, 0);
    return best;
}

void model_backend(struct model *m, const struct kernels *k, int threads, uint32_t id)
{
    m->backend = id;
    m->gemv = gemv_id(k, threads);
    m->forward = rooftop_function("forward", __FILE__, __LINE__ + 5);
    for (int i = 0; i < m->s.layers; i++)
        m->layers[i].id = rooftop_layer((uint32_t)i);
}

int model_step(struct model *m, const struct kernels *k, struct pool *p, int token)
{
    size_t d = (size_t)m->s.dim;
    rooftop_timer pass = rooftop_start(m->forward);
    if (m->position >= m->s.context)
        m->position = 0;
    m->before = 0;
    rooftop_timer t = rooftop_start(ROOFTOP_EMBEDDING);
    memcpy(m->x, m->embedding + (size_t)token * d, d * sizeof(float));
    end(m, t, d, 0, 0);
    for (int i = 0; i < m->s.layers; i++) {
        rooftop_timer layer = rooftop_start(m->layers[i].id);
        attention_block(m, k, p, &m->layers[i], i);
        ffn_block(m, k, p, &m->layers[i]);
        rooftop_stop(layer, 0);
    }
    brick_norm(m, k, m->h, m->x, m->norm);
    brick_gemv(m, k, p, ROOFTOP_LM_HEAD, m->logits, m->head, m->h, (size_t)m->s.vocab, d);
    int next = sample(m);
    m->position++;
    rooftop_stop(pass, 1);
    rooftop_tokens(1);
    return next;
}
