/* Many hosts, on the screen or as documents. */
#pragma once

#include "cli/options/options.h"
#include "engine/fleet/fleet_run.h"

/* Whether the options name hosts: --host, --hostfile. */
bool fleet_asked(const struct options *o);
/* Watches them. Returns the exit status. */
int fleet_watch(struct options *o);
/* The dashboard of this machine; inside a Slurm allocation its hosts are a key away. */
int fleet_offer(struct options *o);

/* The same with any sources, which it takes over (engine/fleet/fleet.h). */
int fleet_show(struct options *o, const struct fleet_source_of *sources, size_t n);
