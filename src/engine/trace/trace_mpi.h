/*
 * The calls of MPI of a trace that holds several ranks: the clocks of their hosts are aligned by
 * messages and collectives, and the matched ones become edges, so that the critical path leads from
 * rank to rank.
 */
#pragma once

#include "engine/mpi/mpi.h"

struct trace;

/* Matches the calls of two ranks or more, and moves the times of all hosts with such calls to the
 * clock of the first file. Before trace_align, which then leaves these files alone. */
void trace_match_mpi(struct trace *t, struct mpi_job *m);
/* Adds messages and collectives to the graph of calls, before graph_finish. Frees *m. */
void trace_meet_mpi(struct trace *t, struct mpi_job *m);
