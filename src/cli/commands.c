/* All commands, as a table, and how they are typed. The first is rooftop without a command word. */

#include <stddef.h>

#include "cli/options/command.h"

const struct command *const commands[] = {
#define COMMAND(id, ...) &command_##id,
#include "capabilities.def"
    NULL,
};

const char *const command_spellings[][COMMAND_SPELLINGS] = {
#define COMMAND(id, ...) {__VA_ARGS__},
#include "capabilities.def"
    {NULL},
};
