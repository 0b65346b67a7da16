/* Hosts that are read over HTTP: --scrape URL, and prom:URL in the place of a file. */
#pragma once

#include "cli/options/options.h"
#include "engine/fleet/fleet.h"

/* The address behind "prom:"; NULL: the operand is none. */
const char *prometheus_address(const struct options *o);
enum { PROMETHEUS_SOURCES = 2 };
/* Opens what the options name; out has room for PROMETHEUS_SOURCES. *n: how many. 0, or -errno with
 * err: then nothing is open. */
int prometheus_sources(const struct options *o, struct fleet_source_of *out, size_t *n,
                       struct error *err);
/* Samples that are kept of each host: more where the past is asked for. */
size_t prometheus_history(const struct options *o);
