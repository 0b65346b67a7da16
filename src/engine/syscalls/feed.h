/*
 * System calls on their way from the thread that reads a trace to the one that counts them inside
 * bricks. Memory is bounded: of calls that are not taken in time, the oldest are dropped and
 * counted. Any thread may call these functions.
 */
#pragma once

#include "engine/syscalls/recent.h"

struct call_feed;

struct call_feed *call_feed_new(size_t bytes); /* memory for calls that were not taken yet */
/* A trace begins: calls of an earlier one that were not taken are forgotten. */
void call_feed_begin(struct call_feed *f);
void call_feed_add(struct call_feed *f, const struct syscall_event *e);
/* Takes the calls since the last time; the caller frees them. NULL: there are none. trace: number
 * of their trace, from 1; 0 if none has begun. begin_ns: its begin, CLOCK_MONOTONIC. */
struct syscall_recent *call_feed_take(struct call_feed *f, uint64_t *trace, uint64_t *begin_ns);
/* When the latest call of this trace ended; 0 if there was none. added: number of calls so far. */
uint64_t call_feed_latest(struct call_feed *f, uint64_t *added);
void call_feed_free(struct call_feed *f); /* NULL allowed */
