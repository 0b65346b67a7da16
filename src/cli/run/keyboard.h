/*
 * Standard input for the dashboard, where a file comes through it: cat results.db | rooftop -. As
 * less does, keys are then read from the terminal itself.
 */
#pragma once

#include "cli/options/options.h"

/* Gives standard input's file another descriptor, by which the operand names it from now on, and
 * makes descriptor 0 the terminal. Does nothing where no file comes through standard input, or
 * where the process has no terminal: opening the screen then says so. Call it before threads are
 * started. */
void keyboard_take(struct options *o);
