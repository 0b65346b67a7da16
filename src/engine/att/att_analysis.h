/*
 * Computes from a thread trace where the cycles went, what waves did and how many ran. Equal traces
 * give equal numbers in the same order. Shares are 0..1, NaN if the whole is 0. att.h defines
 * latency and stall.
 */
#pragma once

#include "engine/att/att.h"

/* Sums of rows over the traced waves. */
struct att_sum {
    uint32_t rows;     /* instructions; not markers */
    uint32_t executed; /* those with hits or samples */
    uint64_t hits, latency, stall, idle, issued, stalled;
};
struct att_totals {
    struct att_sum all, category[ATT_CATEGORIES];
    uint64_t reasons[ATT_REASONS_MAX]; /* samples that did not issue, by reason */
};
void att_totals(const struct att *a, struct att_totals *out);

/* Adds and saturates at UINT64_MAX, because a file may hold any numbers. */
static inline void att_add(uint64_t *sum, uint64_t v)
{
    if (__builtin_add_overflow(*sum, v, sum))
        *sum = UINT64_MAX;
}

/* If only PCs were sampled: samples stand for time, samples without an issue for stalls. */
struct att_weight {
    uint64_t time, stall;
};
bool att_sampled_only(const struct att_totals *t);
struct att_weight att_row_weight(const struct att_totals *t, const struct att_row *r);
struct att_weight att_sum_weight(const struct att_totals *t, const struct att_sum *s);

/* part / whole; NaN where whole is 0. Share of the time: latency / sum of latencies. Stall share:
 * stall / latency, of the same rows. */
double att_share(uint64_t part, uint64_t whole);
/* Latency of one execution: latency / hits. */
double att_per_hit(const struct att_row *r);

/* Indexes of all instructions, sorted by latency, samples and hits (largest first), then by
 * position. The caller frees the list. */
uint32_t *att_hottest(const struct att *a, uint32_t *n);

/* Basic blocks: straight lines of code between labels and branches. */
struct att_block {
    uint32_t first, nrows; /* rows, not counting markers */
    uint64_t entered;      /* hits of its first instruction */
    struct att_sum sum;
};
/* Sorted by latency and samples (largest first), then by address. A block begins after a branch, a
 * marker or a gap in the addresses, and at the known target of a branch (SOPP: address + 4 + 4 *
 * simm16, CDNA 3 ISA 4.3). The caller frees the list. */
struct att_block *att_blocks(const struct att *a, uint32_t *n);
/* Instructions issued in a cycle, of the waves whose instructions were read. per_wave: instructions
 * / sum of (end - begin): while a wave lives. per_cu: instructions / sum over compute units of
 * (last end - first begin); NaN unless all waves were read: it would be too little. Both NaN
 * without such waves. */
struct att_ipc {
    double per_wave, per_cu;
    uint64_t instructions, wave_cycles, cu_cycles;
    uint32_t waves, cus;
    struct att_sum category[ATT_CATEGORIES]; /* the decoder's categories; no idle, samples, rows */
};
void att_ipc(const struct att *a, struct att_ipc *out);

/* Waves in one shader engine, from the events of waves that began and ended. */
struct att_occupancy {
    uint32_t se;
    int64_t first, last; /* time of the first and the last event */
    uint64_t peak;       /* waves at the same time */
    double mean;         /* integral of waves over time / (last - first); NaN without time */
    uint64_t begun, ended, before; /* before: waves that ran when the trace began */
    uint32_t cus, simds;           /* number of those that had waves */
};
/* One entry for each shader engine. A wave with an end but no begin ran before the first event. The
 * caller frees the list. */
struct att_occupancy *att_occupancy(const struct att *a, uint32_t *n);

/* The first and last time of the trace: of waves, else of events, else of levels. false if it has
 * no times. */
bool att_span(const struct att *a, int64_t *from, int64_t *to);
/* Mean number of waves in each of n equal parts of from..to. se ATT_UNKNOWN: all together. */
void att_occupancy_bins(const struct att *a, uint32_t se, int64_t from, int64_t to, uint32_t n,
                        double *out);

enum att_states_from { ATT_STATES_NONE, ATT_STATES_WAVES, ATT_STATES_LEVELS };
/* Mean number of waves in each state in each of n equal parts of from..to: cycles of waves in that
 * state / cycles of the part. From the time lines of all waves if all were read, else from the
 * tool's sums over all waves (wstates files), else from the time lines of the waves that were read.
 */
enum att_states_from att_states_bins(const struct att *a, int64_t from, int64_t to, uint32_t n,
                                     double (*out)[ATT_STATES]);
/* Total cycles of waves in each state, from the data that att_states_bins uses. */
enum att_states_from att_states_sum(const struct att *a, uint64_t out[ATT_STATES]);

/* Whether the states show nearly no stalls though instructions stalled for this share of their
 * cycles: then a tool counted slots as idle while their instructions waited. */
bool att_states_differ(const uint64_t cycles[ATT_STATES], double stalled);

/* Shader clock in Hz: cycles between the first and the last pair of clocks / real time between
 * them, mean over shader engines. NaN if the trace has none. */
double att_clock_hz(const struct att *a);

/* What the samples of a hardware counter say. */
struct att_counter {
    uint64_t samples;
    double mean, max;
};
void att_counter(const struct att *a, uint32_t i, struct att_counter *out);
