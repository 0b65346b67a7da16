/* The events that a command counts in its bricks, as its librooftop understands them. */
#ifndef ROOFTOP_BACKENDS_COMMAND_BRICK_COUNTERS_H
#define ROOFTOP_BACKENDS_COMMAND_BRICK_COUNTERS_H

#include "base/error.h"

/*
 * Makes the value of ROOFTOP_BRICK_COUNTERS from names that rooftop knows ("cycles", libpfm4's,
 * "flops": this CPU's event for floating point operations): "NAME=TYPE:CONFIG:u,...". The caller
 * frees *out. ERROR_USAGE where an event is unknown, or cannot be counted for a thread.
 */
int brick_counters_resolve(const char *list, char **out, struct error *err);

#endif
