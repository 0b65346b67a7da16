/* All proposers, and all guards that look at a candidate's source. */
#include "engine/optimize/proposer.h"
#include "engine/optimize/source_guard.h"

const struct proposer_ops *const proposers[] = {NULL};

const struct source_guard_ops *const source_guards[] = {NULL};
