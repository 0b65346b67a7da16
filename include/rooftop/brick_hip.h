/*
 * Bricks timed by HIP events. Call rooftop_hip_open(&g, stream) once and rooftop_hip_close(&g) at
 * the end: work that is enqueued on that stream between a start and its stop then has the device's
 * time. Header only. Tested against a simulated device clock, not on hardware.
 */
#ifndef ROOFTOP_BRICK_HIP_H
#define ROOFTOP_BRICK_HIP_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef HIP_VERSION
#include <hip/hip_runtime_api.h>
#endif
#include <rooftop/brick.h>

#define ROOFTOP_GPU_API(x) hip##x
#define ROOFTOP_GPU(x)     rooftop_hip##x
#include <rooftop/gpu_events.h>
#undef ROOFTOP_GPU
#undef ROOFTOP_GPU_API

#endif
