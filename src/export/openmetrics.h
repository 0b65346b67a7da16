/*
 * A document in the text format of OpenMetrics 1.0 that the older one of Prometheus (0.0.4, which
 * node_exporter's textfile folder takes) reads, too. Samples may come in any order: the samples of
 * a name are written together.
 *
 * All families are gauges, also numbers that only grow: the two formats name the family of a
 * counter differently (with "_total" and without), and no other kind is known to both. rate() works
 * on them as on counters.
 */
#pragma once

#include <stdio.h>

#include "engine/value/value.h"

struct openmetrics;

struct openmetrics *openmetrics_new(void);
void openmetrics_free(struct openmetrics *m);
/*
 * Adds a sample of the family "rooftop_KIND_NAME_UNIT": the value in its base unit. What no name
 * may have becomes '_'. kind, name: "" adds nothing. labels: names and values in turn, NULL at the
 * end; label names are ours. help: one sentence without quotes, static or as long-lived as m.
 * Nothing is added without a value, or where the family has a sample with these labels.
 */
void openmetrics_add(struct openmetrics *m, const char *kind, const char *name, const char *help,
                     const char *const labels[], const struct value *v);
/* Writes the document with its end. */
void openmetrics_write(FILE *out, const struct openmetrics *m);
