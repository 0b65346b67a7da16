#include "support/att_made.h"

struct att_row *att_made_row(struct att *a, const char *isa, uint64_t vaddr, uint64_t hits,
                             uint64_t latency, uint64_t stall)
{
    a->rows = att_grow(a->rows, a->nrows, sizeof *a->rows);
    a->rows[a->nrows] = (struct att_row){.isa = isa,
                                         .source = "",
                                         .line = a->nrows,
                                         .codeobj = 1,
                                         .vaddr = vaddr,
                                         .hits = hits,
                                         .latency = latency,
                                         .stall = stall,
                                         .reasons = ATT_UNKNOWN};
    att_row_complete(a, a->nrows);
    return &a->rows[a->nrows++];
}

void att_made_event(struct att *a, uint32_t se, int64_t time, uint32_t slot, bool start)
{
    a->events = att_grow(a->events, a->nevents, sizeof *a->events);
    a->events[a->nevents++] =
        (struct att_event){.time = time, .se = se, .slot = slot, .start = start};
}

struct att_wave *att_made_wave(struct att *a, uint32_t se, uint32_t cu, int64_t begin, int64_t end)
{
    a->waves = att_grow(a->waves, a->nwaves, sizeof *a->waves);
    a->waves[a->nwaves] = (struct att_wave){.se = se,
                                            .cu = cu,
                                            .id = a->nwaves,
                                            .begin = begin,
                                            .end = end,
                                            .read = true,
                                            .first_period = a->nperiods,
                                            .first_instruction = a->ninstructions};
    a->waves_read++;
    return &a->waves[a->nwaves++];
}

void att_made_period(struct att *a, uint8_t state, uint64_t duration)
{
    a->periods = att_grow(a->periods, a->nperiods, sizeof *a->periods);
    a->periods[a->nperiods++] = (struct att_period){duration, state};
    a->waves[a->nwaves - 1].nperiods++;
}

void att_made_instruction(struct att *a, uint8_t category, uint32_t duration, uint32_t stall)
{
    a->instructions = att_grow(a->instructions, a->ninstructions, sizeof *a->instructions);
    a->instructions[a->ninstructions++] =
        (struct att_instruction){.category = category, .duration = duration, .stall = stall};
    a->waves[a->nwaves - 1].ninstructions++;
}

void att_made_level(struct att *a, uint8_t state, int64_t time, uint64_t waves)
{
    a->levels = att_grow(a->levels, a->nlevels, sizeof *a->levels);
    a->levels[a->nlevels++] = (struct att_level){time, waves, state};
}
