/* All commands, as a table. The first is rooftop without a command word. */

#include <stddef.h>

#include "cli/options/command.h"

const struct command *const commands[] = {
#define COMMAND(id) &command_##id,
#include "capabilities.def"
    NULL,
};
