#include <stddef.h>

#include "tui/input/presets.h"

const struct preset preset_table[] = {
    {"everything", "overview"},
    {"processes", "overview: processes"},
    {"graphs", "overview: cpu memory graph3 graph4"},
    {"machine", "overview: cpu memory graph3 graph4 cpus metrics top-down"},
    {"counters", "counters: metrics events ports"},
    {NULL, NULL},
};
