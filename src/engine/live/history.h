/*
 * The last HISTORY_LEN samples of the series that graphs show. Only the front end's thread uses it,
 * so it has no lock.
 */
#ifndef ROOFTOP_ENGINE_LIVE_HISTORY_H
#define ROOFTOP_ENGINE_LIVE_HISTORY_H

#include <stddef.h>

#include "engine/live/snapshot.h"

enum { HISTORY_LEN = 600 };

struct history;

struct history *history_new(void);
void history_free(struct history *h);
struct history *history_clone(const struct history *h); /* for a picture that is paused */
/* Appends one sample of every metric ("m:ID"), counter rate ("c:SET/NAME") and built-in series
 * ("cpu.busy" %, "mem.used" bytes, "io.network" and "io.disk" bytes/s both ways, "cpu.N.busy" not
 * kept), and of each GPU "g:ID/" busy, membusy
 * (%), mem (bytes), power (W), edge, junction, memtemp (°C), clock, memclock (Hz), rx, tx (B/s). A
 * series that a snapshot lacks gets NaN.
 */
void history_push(struct history *h, const struct snapshot *s);
/*
 * Copies the last n samples, oldest first, into out[0..n); NaN where missing or before the start.
 * Returns how many of them lie after the start (0 for an unknown series).
 */
size_t history_get(const struct history *h, const char *series, float *out, size_t n);
/* Seconds between the sample `back` samples ago and the newest one; NaN beyond the start. */
double history_age(const struct history *h, size_t back);
size_t history_len(const struct history *h); /* samples held, at most HISTORY_LEN */

#endif
