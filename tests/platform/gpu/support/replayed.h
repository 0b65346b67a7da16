// `rooftop gpu replay` as a user runs it, its child on the emulated GPU.
#pragma once

#include <stdbool.h>

struct replayed {
    int status;
    char out[1 << 20], err[1 << 14];
};

// words: what follows "rooftop gpu replay"; settings: "ROOFTOP_EMU_HANG=1", "" none.
void replayed(struct replayed *r, const char *settings, const char *words, ...)
    __attribute__((format(printf, 3, 4)));
// Fails the test, and prints the output, unless it ended with this status and text.
void replayed_expect(const struct replayed *r, int status, const char *text);
// The number behind key in its output.
double replayed_number(const struct replayed *r, const char *key);
