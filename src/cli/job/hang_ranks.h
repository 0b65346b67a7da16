/* The ranks of a job that hangs, from dumps of PyTorch's flight recorder: report, report ranks. */
#pragma once

#include "cli/options/options.h"

/* Whether the files of the command are such dumps, by the first of them. */
bool hang_ranks_are(const struct options *o);
/* Reads them and writes the answer. 0 or -errno with err. */
int hang_ranks_write(const struct options *o, struct error *err);
