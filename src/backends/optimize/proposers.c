#include <stddef.h>

#include "engine/optimize/proposer.h"

#define PROPOSER(id) extern const struct proposer_ops proposer_##id;
#include "capabilities.def"

const struct proposer_ops *const proposers[] = {
#define PROPOSER(id) &proposer_##id,
#include "capabilities.def"
    NULL,
};
