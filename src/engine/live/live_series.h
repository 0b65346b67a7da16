/*
 * The last LIVE_SERIES_LEN samples of the series that graphs show. Only the front end's thread uses
 * it, so it has no lock.
 */
#pragma once

#include <stddef.h>

#include "engine/live/snapshot.h"

enum { LIVE_SERIES_LEN = 600 };

struct live_series;

struct live_series *live_series_new(void);
void live_series_free(struct live_series *h);
/* Appends one sample of each series: every metric ("m:ID"), the rate of every counter
 * ("c:SET/NAME"), "cpu.busy" (%), "mem.used" (bytes), "io.network" and "io.disk" (bytes/s in both
 * directions together), of what is watched "target.cpu" (% of one CPU), "target.memory" (bytes),
 * "target.faults" (faults/s) and "target.threads", and for each GPU "g:ID/" followed by busy,
 * membusy (%), mem (bytes), power (W), edge, junction, memtemp (°C), clock, memclock (Hz), rx, tx
 * (B/s). A series that the snapshot does not have gets NaN. */
void live_series_push(struct live_series *h, const struct snapshot *s);
/*
 * Copies the last n samples of a series, oldest first, into out[0..n). Samples that are missing or
 * older than the first are NaN. Returns how many are not older than the first; 0 for an unknown
 * series.
 */
size_t live_series_get(const struct live_series *h, const char *series, float *out, size_t n);
/* The seconds between the sample `back` samples ago and the newest one; NaN if that is before the
 * first. */
double live_series_age(const struct live_series *h, size_t back);
size_t
live_series_len(const struct live_series *h); /* number of samples, at most LIVE_SERIES_LEN */
