/* The CPU's measured roofs of a running view. They are read again when their file changes, for
 * example when `rooftop lab roofs` runs in another terminal. */
#pragma once

#include "base/error.h"
#include "engine/roofs/cpu_roofs.h"

struct roofs_watch;

/* roofs: as for roofline_cpu_roofs(). Returns 0, or -errno with err. */
int roofs_watch_open(struct roofs_watch **out, const char *roofs, struct error *err);
/*
 * The current roofs, valid until the next call. Costs one stat(2) while the file is unchanged. If
 * the user's file cannot be read any more, for example while it is written, the roofs that were
 * read before stay.
 */
const struct cpu_roofs *roofs_watch_now(struct roofs_watch *w);
void roofs_watch_close(struct roofs_watch *w); /* NULL: does nothing */
