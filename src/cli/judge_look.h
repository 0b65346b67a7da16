/* The guards that read sources, for `rooftop judge`. */
#ifndef ROOFTOP_CLI_JUDGE_LOOK_H
#define ROOFTOP_CLI_JUDGE_LOOK_H

#include <stddef.h>

#include "base/error.h"
#include "cli/options/command.h"
#include "engine/judge/judge.h"

/*
 * Compares the sources, where both are sources. Returns 0 with why (of n bytes) nobody looked, ""
 * where somebody did; 1 with result->refusal; or -errno with err.
 */
int judge_look(const struct options *o, const struct harness *h, struct judge_result *result,
               char *why, size_t n, struct error *err);

#endif
