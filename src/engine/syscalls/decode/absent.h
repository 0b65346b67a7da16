/* Arguments that a call has only with some operations. Each function: argument arg is not there. */
#ifndef ROOFTOP_ENGINE_SYSCALLS_DECODE_ABSENT_H
#define ROOFTOP_ENGINE_SYSCALLS_DECODE_ABSENT_H

#include "engine/syscalls/decode/decoder.h"

bool futex_arg_absent(const struct decoder *d, unsigned arg);
bool fcntl_arg_absent(const struct decoder *d, unsigned arg);
bool ioctl_arg_absent(const struct decoder *d, unsigned arg);
bool prctl_arg_absent(const struct decoder *d, unsigned arg);
bool sigframe_arg_absent(const struct decoder *d, unsigned arg);
/* All of them, by the argument's type. */
bool arg_absent(const struct decoder *d, unsigned arg);

#endif
