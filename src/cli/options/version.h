/* The version, from the VERSION file through -DROOFTOP_VERSION; a test compares the two. */
#ifndef ROOFTOP_CLI_OPTIONS_VERSION_H
#define ROOFTOP_CLI_OPTIONS_VERSION_H

#ifndef ROOFTOP_VERSION
#define ROOFTOP_VERSION "0.1.0"
#endif

#endif
