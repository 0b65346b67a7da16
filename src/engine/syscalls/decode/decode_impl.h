/* What the files of engine/syscalls/decode share among themselves. */
#pragma once

#include "engine/syscalls/decode/decoder.h"

/* Arguments that a call has only with some operations. Each function: argument arg is not there. */
bool futex_arg_absent(const struct decoder *d, unsigned arg);
bool fcntl_arg_absent(const struct decoder *d, unsigned arg);
bool ioctl_arg_absent(const struct decoder *d, unsigned arg);
bool prctl_arg_absent(const struct decoder *d, unsigned arg);
bool sigframe_arg_absent(const struct decoder *d, unsigned arg);
/* All of them, by the argument's type. */
bool arg_absent(const struct decoder *d, unsigned arg);

/* What a call returned, as text. */

/* Without " = ". It also asks for the memory that results need: what poll and select found. */
void emit_result(struct decoder *d);
