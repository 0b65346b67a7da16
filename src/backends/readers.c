#include <stddef.h>

#include "engine/trace/trace.h"

extern const struct reader_ops reader_bricks, reader_rocpd, reader_rocprof_csv, reader_nsys,
    reader_rocprof_compute, reader_chrome, reader_run_folder, reader_passes;

const struct reader_ops *const readers[] = {
    &reader_bricks,      &reader_rocpd,  &reader_rocprof_compute,
    &reader_rocprof_csv, &reader_nsys,   &reader_chrome,
    &reader_run_folder,  &reader_passes, NULL};
