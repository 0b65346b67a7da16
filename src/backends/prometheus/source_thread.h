/*
 * What both sources of this room share: a thread that asks over HTTP and reports, and the fleet's
 * thread that takes the reports. None of the calls of the fleet waits for an answer.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "backends/prometheus/http_get.h"
#include "engine/fleet/fleet.h"

struct report;

struct source_thread {
    struct http_gets *gets; /* owned */
    double interval_s;
    void (*work)(struct source_thread *t); /* on the thread; returns soon after t->ends */
    atomic_bool ends;
    /* private */
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock; /* of the reports */
    int fd;               /* readable: there are some */
    struct report *reports;
    size_t n, cap;
};

void source_thread_init(struct source_thread *t);
int source_thread_start(struct source_thread *t, struct error *err);
/* Ends the thread, and frees what t owns. */
void source_thread_end(struct source_thread *t);

/* On the thread: a sample of a host. past: one of history, the oldest first. */
void report_sample(struct source_thread *t, const char *host, const struct fleet_sample *s,
                   bool past);
void report_lost(struct source_thread *t, const char *host, const char *why);

/* Members of struct fleet_source_ops: self is, or begins with, a struct source_thread. */
int source_thread_fd(const struct fleet_source *self);
uint64_t source_thread_poll(struct fleet_source *self, struct fleet *f, uint64_t now_ns);
