/* What rooftop prints about itself: help, version, configuration, manual, completions. */
#ifndef ROOFTOP_CLI_HELP_H
#define ROOFTOP_CLI_HELP_H

struct options;

/* Prints what --help, --version, --print-config or --generate ask for. Returns the exit status. */
int help_print(const struct options *o);

#endif
