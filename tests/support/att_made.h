/* Builds thread traces by hand; each function appends one item. */
#pragma once

#include "engine/att/att.h"

struct att_row *att_made_row(struct att *a, const char *isa, uint64_t vaddr, uint64_t hits,
                             uint64_t latency, uint64_t stall);
void att_made_event(struct att *a, uint32_t se, int64_t time, uint32_t slot, bool start);
struct att_wave *att_made_wave(struct att *a, uint32_t se, uint32_t cu, int64_t begin, int64_t end);
void att_made_period(struct att *a, uint8_t state, uint64_t duration);
void att_made_instruction(struct att *a, uint8_t category, uint32_t duration, uint32_t stall);
void att_made_level(struct att *a, uint8_t state, int64_t time, uint64_t waves);
