/* The least time that a call can take on a host whose roofs were measured. */
#pragma once

#include "engine/judge/sandbox.h"
#include "engine/judge/harness.h"
#include "engine/judge/judge.h"
#include "engine/roofs/cpu_roofs.h"

/*
 * The larger of: its bytes by what one core loads and stores in its first cache; its operations by
 * the most that one core can, of float64 where an array has them (S. Williams, A. Waterman, D.
 * Patterson, "Roofline", CACM 52, 2009). A sandbox has one thread. ns is NAN without roofs, and
 * where they have neither; then `why` says so.
 */
void judge_floor_of(struct judge_floor *out, const struct harness *h,
                    const struct cpu_roofs *roofs);

/*
 * Instructions of the harness; unless it has them, its operations by the most that one instruction
 * makes, and the bytes of its outputs that are not inputs, each of which is stored, by the most
 * that one stores. What does a share of both does a smaller one of each, so that the sum holds. NAN
 * where nothing follows; then `why` says so.
 */
void judge_need_of(struct judge_need *out, const struct harness *h,
                   const struct judge_instruction *cpu);
