/* Runs a command where it may mount what it likes, seen by nobody else. */
#pragma once

#include "support/program.h"

/*
 * Runs a shell command line, in a mount namespace of its own: as root, or else in a user namespace.
 * `mounts` is a command that mounts what the test needs. Skips the test where that is not allowed.
 * Neither may contain a single quote.
 */
void own_mounts_run(struct program *p, const char *mounts, const char *shell);
