/*
 * Reads roofline.csv of rocprof-compute: the ceilings that its micro benchmark measured on each
 * device. Columns are found by name: HBMBw, L2Bw, L1Bw, LDSBw in GB/s; FP64Flops, MFMAF16Flops,
 * MFMAI8Ops and the like in 10^9 per second. Their Low and High columns, and columns without a
 * ceiling here (MALLBw, I32Ops), are ignored.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "engine/roofline/roofline.h"

enum { ROOFS_ROWS_MAX = 256, ROOFS_COLUMNS_MAX = 256, ROOFS_BYTES_MAX = 1 << 20 };

struct roofs_row {
    uint32_t device;
    const struct ceiling *ceilings;
    uint32_t nceilings;
};
struct roofs_csv {
    struct roofs_row *rows; /* allocated from `memory`, with all they point to */
    uint32_t nrows;
};

/* Parses n bytes of text; path is for messages. 0, or -errno with ERROR_INPUT: not such a file, a
 * number is malformed or not above 0, a row is too short, or a device occurs twice. */
int roofs_csv_parse(struct roofs_csv *out, struct arena *memory, const char *text, size_t n,
                    const char *path, struct error *err);
/* Reads a file. ERROR_INPUT also if it is unreadable or larger than ROOFS_BYTES_MAX. */
int roofs_csv_read(struct roofs_csv *out, struct arena *memory, const char *path,
                   struct error *err);
