/* Reports whether USDT probes can be watched here. */
#ifndef ROOFTOP_BACKENDS_USDT_PROBE_H
#define ROOFTOP_BACKENDS_USDT_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/live/source.h"

void usdt_probe_capability(capability_sink sink, void *ctx);

enum { USDT_PATH = 4096 };
/* The file and the offset in it of the program's first instruction, which is not executed again: a
 * breakpoint there harms nothing. False: the file is not to be had. */
bool usdt_entry_place(char path[USDT_PATH], uint64_t *offset);

#endif
