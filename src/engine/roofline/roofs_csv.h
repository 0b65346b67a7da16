/*
 * roofline.csv of rocprof-compute: what its micro benchmark measured on each device of a machine,
 * as ceilings. Columns are found by name: HBMBw, L2Bw, L1Bw, LDSBw in GB/s, FP64Flops,
 * MFMAF16Flops, MFMAI8Ops and the like in 10^9 a second; their Low and High columns and what has no
 * place in a roof here (MALLBw, I32Ops) are passed over.
 */
#ifndef ROOFTOP_ENGINE_ROOFLINE_ROOFS_CSV_H
#define ROOFTOP_ENGINE_ROOFLINE_ROOFS_CSV_H

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
    struct roofs_row *rows; /* in memory, with all they point to */
    uint32_t nrows;
};

/* From n bytes of text; path is for errors. 0 or -errno with err (ERROR_INPUT): it is not such a
 * file, a number is none or not above 0, a row is cut short, a device is there twice. */
int roofs_csv_parse(struct roofs_csv *out, struct arena *memory, const char *text, size_t n,
                    const char *path, struct error *err);
/* From a file. ERROR_INPUT as well where it cannot be read, or is larger than ROOFS_BYTES_MAX. */
int roofs_csv_read(struct roofs_csv *out, struct arena *memory, const char *path,
                   struct error *err);

#endif
