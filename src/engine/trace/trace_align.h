/*
 * Joins the files of a job's ranks or hosts, whose clocks differ. The times of each file are moved
 * to the clock of the first file, by the first of these methods that the file allows: the messages
 * of MPI (trace_mpi.h); the same clock as a file before it; the time of day, if both files have it
 * (hosts keep it to about milliseconds); collectives: the k-th all-reduce ends at the same time in
 * each rank. The offset is the median of the differences; the largest deviation from it is the
 * uncertainty; the same clock is assumed if neither file names its clock, both hosts had been up
 * for long, and the files begin within an hour of each other; otherwise the first events of both
 * files are put at the same time. If there are collectives too, they tell how far the time of day
 * is off. Programs of the same name are told apart by host, rank or file. Ranks are from the files
 * or, if no file has one, from their names ("rank-3.json").
 */
#pragma once

#include "engine/trace/trace.h"

/* Call it before anything else is computed from the calls. */
void trace_align(struct trace *t);
/* The number in the file's name: "rank-3.json.gz", "trace_rank_3", "node7_rank3.db"; or
 * GRAPH_NONE. */
uint32_t trace_rank_in_name(const char *path);
const char *trace_how_name(enum trace_how how); /* "collectives"; for documents */
const char *trace_how_text(enum trace_how how); /* for people */
/* Whether a name is a collective of NCCL or RCCL: "ncclDevKernel_AllReduce…", "ncclAllReduce".
 * Sends between two ranks are not. */
bool trace_is_collective(const char *name);
