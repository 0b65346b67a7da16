/*
 * Predicts how many cycles a stream takes on a machine with these three pipes, from the
 * dependencies between its ops. It uses no number of the host.
 *
 * A word enters each cycle, in order, at most MODEL_WINDOW words after the oldest that is not
 * finished. Each pipe begins one op a cycle, in order. An op begins when its operands are ready: a
 * register `latency` cycles (ops.def) after the op that wrote it last began, a cell after the last
 * scatter through the same coordinate register; and when the slots of the previous word that deps
 * names have ended. Registers are renamed: a write waits for no other write or read.
 */
#pragma once

#include "vtpu/word.h"

enum { MODEL_WINDOW = 64 };

struct vtpu_prediction {
    double cycles;           /* of one of many passes */
    double ops_per_cycle;    /* 0 if the stream has no op */
    double fill;             /* ops of a word, at most 3 */
    double wait[VTPU_PIPES]; /* cycles of a word that a pipe's op waited for operands */
};

void vtpu_predict(const struct siw *words, size_t n, struct vtpu_prediction *out);
/* The cycle in which the last op of `times` passes ends; a pass of NOPs ends in the cycle of its
 * last word. */
uint64_t vtpu_model_cycles(const struct siw *words, size_t n, size_t times);
