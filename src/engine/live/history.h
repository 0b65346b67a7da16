/*
 * The last HISTORY_LEN samples of the series that graphs show. Only the front end's thread uses it,
 * so it has no lock.
 */
#pragma once

#include <stddef.h>

#include "engine/live/snapshot.h"

enum { HISTORY_LEN = 600 };

struct history;

struct history *history_new(void);
void history_free(struct history *h);
/* Appends one sample of each series: every metric ("m:ID"), the rate of every counter
 * ("c:SET/NAME"), "cpu.busy" (%), "mem.used" (bytes), "io.network" and "io.disk" (bytes/s in both
 * directions together), and for each GPU "g:ID/" followed by busy, membusy (%), mem (bytes), power
 * (W), edge, junction, memtemp (°C), clock, memclock (Hz), rx, tx (B/s). A series that the
 * snapshot does not have gets NaN. */
void history_push(struct history *h, const struct snapshot *s);
/*
 * Copies the last n samples of a series, oldest first, into out[0..n). Samples that are missing or
 * older than the first are NaN. Returns how many are not older than the first; 0 for an unknown
 * series.
 */
size_t history_get(const struct history *h, const char *series, float *out, size_t n);
/* The seconds between the sample `back` samples ago and the newest one; NaN if that is before the
 * first. */
double history_age(const struct history *h, size_t back);
size_t history_len(const struct history *h); /* number of samples, at most HISTORY_LEN */
