/*
 * Latency of DRAM under load: one thread loads, each load waiting for the one before, while the
 * others make traffic of a certain share of reads, at a certain part of their speed. (P.
 * Esmaili-Dokht and others, "A Mess of Memory System Benchmarking, Simulation and Application
 * Profiling", MICRO 2024, describes such curves.)
 */
#ifndef ROOFTOP_BACKENDS_ROOFS_LOADED_H
#define ROOFTOP_BACKENDS_ROOFS_LOADED_H

#include "backends/roofs/crew.h"
#include "engine/roofs/host_roofs.h"

struct loaded_wish {
    struct crew *crew;
    uint32_t cpus;   /* that take part, at least 2 */
    size_t bytes;    /* of the circle of loads: no cache holds them */
    size_t share;    /* of the arrays of each other thread */
    uint64_t run_ns; /* of one run */
};

/* The number of curves, one for each share of reads. */
unsigned loaded_curves(void);
/* Measures curve k from no load to all that the threads can make, and adds a row for each point
 * that was not disturbed too much. Returns 0, -ENOMEM or -EAGAIN (no thread to be had). */
int loaded_measure(const struct loaded_wish *wish, unsigned k, struct host_roofs *out);

#endif
