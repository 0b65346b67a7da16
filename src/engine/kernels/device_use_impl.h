/* The queues of devices, whose work they do, and their rows, for device_use.c. */
#pragma once

#include "engine/kernels/device_use.h"

/* A queue with work: its owner, its device and its row. */
struct device_queue {
    uint32_t node, rank, number; /* a file, or a program; of the device */
    int64_t id;                  /* of the program, for the order */
    uint32_t agent;
    char word[16];   /* "GPU"; "TPU" */
    bool gpu, known; /* known: its device's number is known */
    uint32_t row;
    uint64_t first, last; /* begin and end of its work */
};

struct device_finding {
    const struct trace *t;
    const struct graph *g;
    uint32_t *work, n; /* by start; includes work outside of the considered part */
    uint32_t *launcher;
    uint32_t *owner;    /* of root nodes: 1 + the program */
    uint32_t *queue_of; /* of nodes that are queues: 1 + index */
    struct device_queue *queues;
    uint32_t nqueues;
    uint64_t first, last; /* begin and end of all work */
    bool own_times;       /* the considered time of each rank is that of its own work */
};

/* Fills t, g, work and what follows it; own_times stays. Call device_finding_free. */
void device_finding_open(struct device_finding *f, const struct trace *t);
void device_finding_free(struct device_finding *f);
/* The queue in which work ran; NULL: none is known. */
struct device_queue *device_queue_of(const struct device_finding *f, uint32_t work);
/* Makes the rows of ranks and of their devices, sorts the queues by them, and sets the row of each
 * queue. */
void device_rows_make(struct device_finding *f, struct device_uses *out);
