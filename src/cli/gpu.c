#include "cli/options/command.h"

static const struct command_option options[] = {TAKES_GENERAL};

const struct command command_gpu = {
    .name = "gpu",
    .summary = "kernels of a GPU: profiled, captured, launched again, and their code",
    .usage = "rooftop gpu profile|capture|replay|reproduce|code [OPTION...]",
    .options = options,
    .examples = EXAMPLES({"rooftop gpu capture --help", "the options of one of them"}),
};
