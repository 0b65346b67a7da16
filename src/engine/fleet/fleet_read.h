/* Reads our own snapshot document, one line of `rooftop --headless --format jsonl`. */
#pragma once

#include "engine/fleet/fleet.h"

/* Longest line that is read: a host with some hundred GPUs and network interfaces has a tenth. */
enum { FLEET_LINE_MAX = 1 << 20 };

/*
 * Fills the sample with what a snapshot says, but not its time. 0, or -errno with err: it is no
 * snapshot of rooftop, or is damaged. from: the host, for messages.
 */
int fleet_read_snapshot(const char *text, size_t size, const char *from, struct fleet_sample *s,
                        struct error *err);
