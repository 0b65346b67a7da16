/* The features of perf.data: names of events, build ids, the host. A damaged one is left out as far
 * as it cannot be read. */
#pragma once

#include "backends/perf_data/perf_file.h"

/* Bits of the header, perf.data-file-format.txt. */
enum {
    PERF_FEATURE_BUILD_ID = 2,
    PERF_FEATURE_HOST = 3,
    PERF_FEATURE_RELEASE = 4,
    PERF_FEATURE_ARCH = 6,
    PERF_FEATURE_EVENTS = 12,
    PERF_FEATURE_FOLDER = 24, /* HEADER_DIR_FORMAT */
};

bool perf_features_wanted(unsigned bit);
void perf_features_take(struct perf_file *f, unsigned bit, const uint8_t *bytes, size_t n);
/* The body of an EVENT_UPDATE: a pipe names an event so. */
void perf_features_update(struct perf_file *f, const uint8_t *bytes, size_t n);
/* The name of an event that has none in the file: as perf calls it, or by its kind. Static. */
const char *perf_features_event_name(const struct perf_event_attr *attr);
