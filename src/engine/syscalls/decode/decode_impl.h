/* What the files of engine/syscalls/decode share among themselves. */
#pragma once

#include "engine/syscalls/decode/decoder.h"

/* Whether a call lacks an argument, because its operation does not take it. */
bool futex_arg_absent(const struct decoder *d, unsigned arg);
bool fcntl_arg_absent(const struct decoder *d, unsigned arg);
bool ioctl_arg_absent(const struct decoder *d, unsigned arg);
bool prctl_arg_absent(const struct decoder *d, unsigned arg);
bool sigframe_arg_absent(const struct decoder *d, unsigned arg);
/* Asks the function for the argument's type. */
bool arg_absent(const struct decoder *d, unsigned arg);

/* Writes the result of a call. */

/* Writes the result, without " = ". Looks at memory for some, as for those of poll and select. */
void emit_result(struct decoder *d);
