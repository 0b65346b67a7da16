/*
 * Several files as one: the ranks or hosts of a job, whose clocks differ. All follow the first
 * file, each by the first of these that it allows:
 *   the same clock as a file before it;
 *   the time of day, where both tell it (hosts keep it to milliseconds, or better, or worse);
 *   collectives: the k-th all-reduce of one rank ends when the k-th of another does. The median of
 *   the differences, and the largest deviation from it as the uncertainty;
 *   where neither tells its clock, but both are of hosts that had been up for long, and begin
 * within an hour: the same clock, as is likely then; where nothing tells, their first events are
 * laid upon each other. Where collectives are there too, they say how far the time of day is off.
 * Programs of the same name are told apart by host, rank or file. Ranks are what the files tell;
 * where none does, what their names tell ("rank-3.json").
 */
#ifndef ROOFTOP_ENGINE_TRACE_TRACE_ALIGN_H
#define ROOFTOP_ENGINE_TRACE_TRACE_ALIGN_H

#include "engine/trace/trace.h"

/* Before anything is made of the calls. */
void trace_align(struct trace *t);
const char *trace_how_name(enum trace_how how); /* "collectives": for programs */
const char *trace_how_text(enum trace_how how); /* for people */
/* Whether this is a collective of NCCL or RCCL: "ncclDevKernel_AllReduce…", "ncclAllReduce". What
 * two ranks send each other is none. */
bool trace_is_collective(const char *name);

#endif
