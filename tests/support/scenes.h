/*
 * Made-up machines for tests of the screen: whole snapshots of a moment, the same in every run.
 * The real table computes the metrics, from made-up counters.
 */
#pragma once

#include "engine/live/snapshot.h"

/*
 * "zen4": 8 busy CPUs with a PMU; "vm": 2 CPUs without one; "many": 512 CPUs; "command": a command
 * with output on the vm; "procs": the vm with a tree of processes, threads, swap; "ended": the same
 * after its end; "hostile": names that try to break the screen; "empty": nothing could be measured;
 * "hot": the vm with hot functions, "nasty": those with names that try to break the screen;
 * "bricks": the vm with instrumented programs; those of gpus_scene.h: the vm with GPUs. tick: 0, 1,
 * 2 … seconds; 0 has no rates yet. Unref it.
 */
struct snapshot *scene(const char *name, int tick);
extern const char *const scene_names[]; /* NULL-terminated */
