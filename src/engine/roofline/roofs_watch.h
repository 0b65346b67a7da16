/* The CPU's measured roofs of a running view: read again when their file changes, as `rooftop lab
 * roofs` in another terminal makes it do. */
#pragma once

#include "base/error.h"
#include "engine/roofs/cpu_roofs.h"

struct roofs_watch;

/* roofs: as of roofline_cpu_roofs(). Returns 0, or -errno with err. */
int roofs_watch_open(struct roofs_watch **out, const char *roofs, struct error *err);
/*
 * The roofs as they are now, which stay valid until the next call. Costs one stat(2) while the file
 * is the same. A file that the user chose and that cannot be read any more, as when it is being
 * written, leaves the roofs that were read from it before.
 */
const struct cpu_roofs *roofs_watch_now(struct roofs_watch *w);
void roofs_watch_close(struct roofs_watch *w); /* NULL: does nothing */
