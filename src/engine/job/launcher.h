/* Which rank of which job this process is, by the environment that its launcher gave it. */
#pragma once

#include "engine/job/rank_summary.h"

/*
 * Fills launcher, job, step, rank, ranks, local_rank, restart and requeue. Without a launcher the
 * process is the only rank of a job: launcher "". Returns 0, or -EINVAL with err: a variable is no
 * number, the rank is none of the job, or the environment says a job but not the rank.
 */
int launcher_find(struct rank_summary *out, struct error *err);
