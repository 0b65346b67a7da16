/* A trial of two code objects, as engine/judge_gpu/gpu_trial.h says. */
#pragma once

#include <stdio.h>

#include "engine/judge_gpu/gpu_trial.h"

/* Returns the exit status of the process; the result is the last event. */
int gpu_trial_run(const struct gpu_trial_task *t, FILE *events);
