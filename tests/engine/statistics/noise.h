/* Noise with fixed seeds for simulations: logarithms of the times of runs of an unchanged program.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t noise_seed;

static double noise_uniform(void) /* above 0, below 1 */
{
    noise_seed = noise_seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(noise_seed >> 11) + 0.5) / 9007199254740992.0;
}

static double noise_normal(void)
{
    double size = sqrt(-2 * log(noise_uniform()));
    return size * cos(2 * M_PI * noise_uniform());
}

enum noise { CONSTANT, SPIKES, MODES, MEMORY, HEAVY, SKEWED, SINE, DRIFT, STRONG_DRIFT };

/* Noise of 2 % in most kinds. MEMORY: each run's is 0.3 times that of the one before. DRIFT: 1 % in
 * 500 runs, STRONG_DRIFT: 4 %. SINE: 1 % up and down in 100 runs. */
static void noise_fill(enum noise kind, double *x, size_t n)
{
    double memory = 0;
    for (size_t t = 0; t < n; t++) {
        double e = noise_normal(), a, b;
        switch (kind) {
        case CONSTANT:
            x[t] = 0.02 * e;
            break;
        case SPIKES:
            x[t] = 0.02 * e + (noise_uniform() < 0.03 ? 0.1 + 0.3 * noise_uniform() : 0);
            break;
        case MODES:
            x[t] = 0.005 * e + (noise_uniform() < 0.3 ? 0.06 : 0);
            break;
        case MEMORY:
            memory = 0.3 * memory + sqrt(1 - 0.09) * e;
            x[t] = 0.02 * memory;
            break;
        case HEAVY: /* Student's t with two degrees of freedom: no variance */
            a = noise_normal();
            b = noise_normal();
            x[t] = 0.02 * e / sqrt((a * a + b * b) / 2);
            break;
        case SKEWED:
            x[t] = 0.02 * exp(e);
            break;
        case SINE:
            x[t] = 0.02 * e + 0.01 * sin((double)t * 2 * M_PI / 100);
            break;
        case DRIFT:
            x[t] = 0.02 * e + 0.01 * (double)t / 500;
            break;
        case STRONG_DRIFT:
            x[t] = 0.02 * e + 0.04 * (double)t / 500;
            break;
        }
    }
}
