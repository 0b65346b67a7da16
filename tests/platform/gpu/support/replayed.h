// `rooftop replay` as a user runs it, its child on the emulated GPU.
#ifndef ROOFTOP_TESTS_PLATFORM_GPU_SUPPORT_REPLAYED_H
#define ROOFTOP_TESTS_PLATFORM_GPU_SUPPORT_REPLAYED_H

#include <stdbool.h>

struct replayed {
    int status;
    char out[1 << 20], err[1 << 14];
};

// words: what follows "rooftop replay"; settings: "ROOFTOP_EMU_HANG=1", "" none.
void replayed(struct replayed *r, const char *settings, const char *words, ...)
    __attribute__((format(printf, 3, 4)));
// Fails the test unless it ended so; prints what it said.
void replayed_expect(const struct replayed *r, int status, const char *text);
// A number that stands behind key in what it printed.
double replayed_number(const struct replayed *r, const char *key);

#endif
