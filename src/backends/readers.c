#include <stddef.h>

#include "engine/trace/trace.h"

extern const struct reader_ops reader_bricks, reader_rocpd, reader_rocprof_csv, reader_nsys,
    reader_rocprof_compute, reader_rocprof_json, reader_chrome, reader_run_folder, reader_passes,
    reader_syscalls;

const struct reader_ops *const readers[] = {&reader_bricks,
                                            &reader_rocpd,
                                            &reader_rocprof_compute,
                                            &reader_rocprof_csv,
                                            &reader_nsys,
                                            &reader_syscalls,
                                            &reader_rocprof_json,
                                            &reader_chrome,
                                            &reader_run_folder,
                                            &reader_passes,
                                            NULL};
