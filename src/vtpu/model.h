/*
 * Predicts how many cycles a stream takes on a machine with these three pipes, from what depends on
 * what. No number of the machine that runs it goes in.
 *
 * A word enters each cycle, in order, at most MODEL_WINDOW words after the oldest that is not
 * finished. Each pipe begins one op a cycle, in order. An op begins when its operands are there: a
 * register's value `latency` cycles (ops.def) after the op that wrote it last began, a cell's after
 * the last scatter through the same coordinate register, and what deps names after the end of the
 * slot of the word before. Registers are renamed: a write waits for no other write or read.
 */
#pragma once

#include "vtpu/word.h"

enum { MODEL_WINDOW = 64 };

struct vtpu_prediction {
    double cycles;        /* of one pass, when passes follow each other */
    double ops_per_cycle; /* 0 where the stream has no op */
    double fill;          /* ops a word, 3 at most */
    double
        wait[VTPU_PIPES]; /* cycles a word that a pipe's ops waited for operands, after entering */
};

void vtpu_predict(const struct siw *words, size_t n, struct vtpu_prediction *out);
/* The cycle in which the last op of `times` passes ends; a pass of NOPs ends in the cycle of its
 * last word. */
uint64_t vtpu_model_cycles(const struct siw *words, size_t n, size_t times);
