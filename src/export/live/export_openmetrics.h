/*
 * A snapshot as a document of OpenMetrics, for node_exporter's textfile folder. Names and units
 * follow from the tables that JSON and CSV are written from. See docs/PROMETHEUS.md.
 */
#pragma once

#include <stdio.h>

#include "engine/live/snapshot.h"

/* version: the program's. */
void export_openmetrics(FILE *out, const struct snapshot *s, const char *version);
