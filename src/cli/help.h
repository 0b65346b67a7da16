/* What rooftop prints of itself: help, version, configuration, manual, completions. */
#ifndef ROOFTOP_CLI_HELP_H
#define ROOFTOP_CLI_HELP_H

struct options;

/* What --help, --version, --print-config or --generate ask for. Returns the exit status. */
int help_print(const struct options *o);

#endif
