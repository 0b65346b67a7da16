/* Which calls are wanted, and what of the program's memory is read for each. */
#pragma once

#include "backends/bpf/layout.h"
#include "engine/syscalls/tracer.h"

/* Fills the PLANS plans. */
void plans_fill(struct plan *plans, const struct tracer_setup *setup);
