/* What one exporter's text says of its host. */
#pragma once

#include <stdint.h>

#include "backends/prometheus/exporters.h"

struct scrape_memory; /* of one exporter: its counters as they were the last time */

struct scrape_memory *scrape_memory_new(void);
void scrape_memory_free(struct scrape_memory *m); /* NULL allowed */

enum { SCRAPE_SERIES_MAX = 1 << 17, SCRAPE_DEVICES_MAX = 4096 };

/*
 * Puts the numbers of a text into the sample, as the rows of e say; metrics that it has already
 * stay. text: as exposition_open takes it. at_ns: when it was asked for, for rates, which need an
 * earlier text. A counter that stepped back began again from 0. 0, or -errno with err: the text is
 * damaged, and the sample is as it was.
 */
int scrape_read(struct scrape_memory *m, const struct exporters *e, char *text, size_t size,
                enum exposition_format format, const char *from, uint64_t at_ns,
                struct fleet_sample *out, struct error *err);
