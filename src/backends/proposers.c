/* All proposers, and all guards that look at a candidate's source. */
#include "engine/optimize/proposer.h"
#include "engine/source_guards/source_guard_ops.h"

extern const struct proposer_ops proposer_accumulators, proposer_pragma, proposer_unroll,
    proposer_restrict, proposer_launch_bounds, proposer_command, proposer_openai;

const struct proposer_ops *const proposers[] = {
    &proposer_accumulators,  &proposer_pragma,  &proposer_unroll, &proposer_restrict,
    &proposer_launch_bounds, &proposer_command, &proposer_openai, NULL};

extern const struct source_guard_ops source_guard_includes, source_guard_clang;

const struct source_guard_ops *const source_guards[] = {&source_guard_includes, &source_guard_clang,
                                                        NULL};
