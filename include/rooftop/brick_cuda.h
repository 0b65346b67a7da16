/*
 * Bricks timed by CUDA events. Call rooftop_cuda_open(&g, stream) once and rooftop_cuda_close(&g)
 * at the end: work that is enqueued on that stream between a start and its stop then has the
 * device's time. Header only. Tested against a simulated device clock, not on hardware.
 */
#ifndef ROOFTOP_BRICK_CUDA_H
#define ROOFTOP_BRICK_CUDA_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef CUDART_VERSION
#include <cuda_runtime_api.h>
#endif
#include <rooftop/brick.h>

#define ROOFTOP_GPU_API(x) cuda##x
#define ROOFTOP_GPU(x)     rooftop_cuda##x
#include <rooftop/gpu_events.h>
#undef ROOFTOP_GPU
#undef ROOFTOP_GPU_API

#endif
