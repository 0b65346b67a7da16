/*
 * The fleet's thread: it owns a fleet and its sources, waits for their descriptors, and publishes a
 * picture once an interval. Nothing of it makes the caller wait for a host.
 */
#pragma once

#include "engine/fleet/fleet.h"

struct fleet_run;

struct fleet_run_config {
    const struct fleet_source_of *sources; /* copied; taken over: they are stopped in all cases */
    size_t nsources;
    double interval_s; /* of pictures */
    size_t history;    /* as fleet_new takes it */
    bool waits;        /* no host is asked before fleet_run_ask */
};
/* Starts the sources and the thread. 0, or -errno with err. */
int fleet_run_start(struct fleet_run **out, const struct fleet_run_config *config,
                    struct error *err);
/* Begins to ask the hosts; called as often as you like. */
void fleet_run_ask(struct fleet_run *r);
/* A descriptor that is readable when fleet_run_take has a newer picture. */
int fleet_run_fd(const struct fleet_run *r);
/* The newest picture if it was not taken yet, else NULL; the caller releases it. Older ones are
 * left out. */
struct fleet_picture *fleet_run_take(struct fleet_run *r);
/* For the moments between: what the functions of fleet.h of these names return. */
size_t fleet_run_history(struct fleet_run *r, int host, enum fleet_metric m, size_t max, double *v,
                         uint64_t *wall_ns);
size_t fleet_run_times(struct fleet_run *r, int host, size_t max, uint64_t *wall_ns);
struct fleet_picture *fleet_run_at(struct fleet_run *r, uint64_t wall_ns);
bool fleet_run_span(struct fleet_run *r, uint64_t *oldest_ns, uint64_t *newest_ns);
/* The program that shows a host in a terminal (fleet_source_ops.visit); NULL: it cannot be. */
char **fleet_run_visit(struct fleet_run *r, int host);
bool fleet_run_visits(const struct fleet_run *r); /* whether hosts of some source can be */
/* Ends the thread and the sources. NULL allowed. */
void fleet_run_end(struct fleet_run *r);
