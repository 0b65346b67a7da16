/* Short slices of work beside slices of the clock. */
#ifndef ROOFTOP_BACKENDS_ROOFS_SLICES_H
#define ROOFTOP_BACKENDS_ROOFS_SLICES_H

#include <stddef.h>
#include <stdint.h>

/* What is measured: run does n iterations of it. */
struct slice_work {
    void (*run)(const struct slice_work *w, uint64_t n);
    void *own;
    double amount; /* operations or bytes of an iteration */
    uint64_t warm; /* iterations that bring its data into the caches again, after an interruption */
};

struct slice_result {
    double per_cycle; /* median of amount / cycles */
    double clock;     /* Hz, median */
    double rate;      /* amount a second at that clock: per_cycle * clock */
    double spread;    /* of per_cycle: (third quartile - first) / median; NAN: of too few slices */
    size_t slices;    /* that were taken; 0: none was undisturbed */
};

enum { SLICES_MAX = 512, SLICES_LEAST = 5 /* that tell a spread */ };
/* Runs `slices` slices of about slice_ns each, on the calling thread. */
struct slice_result slices_run(const struct slice_work *w, uint64_t slice_ns, size_t slices);

/* The median of n numbers, which are sorted; and their spread as above. */
double slices_median(double *values, size_t n, double *spread);
uint64_t slices_now(void);  /* ns of CLOCK_MONOTONIC */
long slices_switches(void); /* how often the kernel took this thread's CPU away */

#endif
