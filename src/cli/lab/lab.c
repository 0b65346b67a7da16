#include "cli/options/command.h"

static const struct command_option options[] = {TAKES_GENERAL};

const struct command command_lab = {
    .name = "lab",
    .summary =
        "what this machine can do, measured: predictions against this CPU, its roofs, its pipes",
    .usage = "rooftop lab validate|roofs|ports [OPTION...]",
    .options = options,
    .examples = EXAMPLES({"rooftop lab validate --help", "the options of one of them"}),
};
