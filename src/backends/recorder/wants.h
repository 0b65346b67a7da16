/* What the recorder copies of the memory behind arguments. */
#ifndef ROOFTOP_BACKENDS_RECORDER_WANTS_H
#define ROOFTOP_BACKENDS_RECORDER_WANTS_H

#include "engine/syscalls/tracer.h"
#include "format/syscall_ring.h"

/* Fills the rows of the control: for the calls that are traced, what their decoders look at. */
void wants_fill(struct syscall_control *c, const struct tracer_setup *setup);

#endif
