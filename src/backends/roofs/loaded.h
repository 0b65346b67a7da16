/*
 * Latency of DRAM under load: one thread loads, each load waiting for the one before, while the
 * others make traffic of a certain share of reads, at a certain part of their speed. (P.
 * Esmaili-Dokht and others, "A Mess of Memory System Benchmarking, Simulation and Application
 * Profiling", MICRO 2024, describes such curves.)
 */
#ifndef ROOFTOP_BACKENDS_ROOFS_LOADED_H
#define ROOFTOP_BACKENDS_ROOFS_LOADED_H

#include "backends/roofs/chase.h"
#include "backends/roofs/crew.h"
#include "backends/roofs/streams.h"
#include "engine/roofs/host_roofs.h"

struct loaded_wish {
    struct crew *crew;
    uint32_t cpus;            /* that take part, at least 2 */
    struct chase *chase;      /* its circle is larger than all caches */
    struct stream_room *room; /* of each thread */
    size_t share;             /* of the arrays of each other thread */
    uint64_t run_ns;          /* of one run */
};

/* The number of curves, one for each share of reads. */
unsigned loaded_curves(void);
/* Measures curve k from no load to all that the threads can make, and adds a row for each point
 * that was not disturbed too much. Returns 0, -ENOMEM or -EAGAIN (no thread to be had). */
int loaded_measure(const struct loaded_wish *wish, unsigned k, struct host_roofs *out);

#endif
