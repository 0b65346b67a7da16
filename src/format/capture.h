/*
 * Names and numbers of a capture on disk (docs/CAPTURE.md). Shared by the writer (the library in
 * the captured program) and the reader (rooftop). Only constants.
 */
#pragma once

#define CAPTURE_FORMAT    "rooftop capture"
#define CAPTURE_DISPATCH  "dispatch.json"
#define CAPTURE_REGIONS   "memory_regions.json"
#define CAPTURE_KERNARG   "kernarg.bin"
#define CAPTURE_CODE      "kernel.hsaco"
#define CAPTURE_MEMORY    "memory"
#define CAPTURE_AFTER     "after"
#define CAPTURE_VARIABLES "variables"
#define CAPTURE_COMPLETE  "capture_complete"

enum {
    CAPTURE_VERSION = 1,
    CAPTURE_BLOCK = 4 << 20, /* bytes that are checksummed, compressed and restored together */
    CAPTURE_PAGE = 4096,
};
