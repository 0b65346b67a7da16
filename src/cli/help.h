/* What rooftop prints about itself: help, version, configuration, manual, completions. */
#pragma once

struct options;

/* Prints what --help, --version, --print-config or --generate ask for. Returns the exit status. */
int help_print(const struct options *o);
