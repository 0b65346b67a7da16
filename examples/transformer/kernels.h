/*
 * The arithmetic of the transformer, once for each instruction set. All vectors are float32.
 */
#ifndef TRANSFORMER_KERNELS_H
#define TRANSFORMER_KERNELS_H

#include <stddef.h>

struct kernels {
    const char *name; /* of the backend: "avx2" */
    unsigned lanes;   /* floats in a register */
    /* y[r] = sum over c of w[r * cols + c] * x[c], for rows r in 0..rows */
    void (*gemv)(float *y, const float *w, const float *x, size_t rows, size_t cols);
    float (*dot)(const float *a, const float *b, size_t n);
    void (*axpy)(float *y, float a, const float *x, size_t n); /* y += a * x */
    /* y = x * g / sqrt(mean(x^2) + 1e-5) */
    void (*rms_norm)(float *y, const float *x, const float *g, size_t n);
};

/* NULL where they were not built for this machine; backends.c asks whether the CPU has them. */
extern const struct kernels *const kernels_scalar,
    *const kernels_sse, *const kernels_avx2, *const kernels_avx512, *const kernels_neon;

/* The backends this CPU can run, the slowest first; ends with NULL. */
const struct kernels *const *backends_here(void);
const struct kernels *backend_named(const char *name); /* "best" too; NULL = not here */

#endif
