/* All proposers, and all guards that look at a candidate's source. */
#include "engine/optimize/proposer.h"
#include "engine/optimize/source_guard.h"

extern const struct proposer_ops proposer_command, proposer_openai;

const struct proposer_ops *const proposers[] = {&proposer_command, &proposer_openai, NULL};

const struct source_guard_ops *const source_guards[] = {NULL};
