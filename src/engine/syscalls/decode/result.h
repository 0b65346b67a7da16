/* What a call returned, as text. */
#ifndef ROOFTOP_ENGINE_SYSCALLS_DECODE_RESULT_H
#define ROOFTOP_ENGINE_SYSCALLS_DECODE_RESULT_H

#include "engine/syscalls/decode/decoder.h"

/* Without " = ". It also asks for the memory that results need: what poll and select found. */
void emit_result(struct decoder *d);

#endif
