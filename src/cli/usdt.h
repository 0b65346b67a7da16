/* `rooftop usdt`: the probes of a program and its libraries. */
#ifndef ROOFTOP_CLI_USDT_H
#define ROOFTOP_CLI_USDT_H

#include "cli/options/options.h"

int usdt_run(struct options *o);

#endif
