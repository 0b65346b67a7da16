/*
 * The folder of golden traces: NAME.json, NAME_summary.txt, ANALYSIS.md for all, and golden.toml,
 * the file of scenarios and redactions.
 */
#pragma once

#include "engine/golden/golden.h"

#define GOLDEN_FOLDER    "golden_traces"
#define GOLDEN_SCENARIOS "golden.toml"
#define GOLDEN_ANALYSIS  "ANALYSIS.md"

/* A command that is captured and checked by name. */
struct golden_scenario {
    char *name;
    char **command; /* ended by NULL */
    size_t nwords;
    enum golden_level level;
};

struct golden_scenarios {
    struct golden_scenario *list;
    size_t n, cap;
    struct golden_redactions redactions;
};

/*
 * Reads a file of scenarios:
 *   [[scenario]] name = "sort", command = ["sort", "-n", "in.txt"], level = "order"
 *   [[redact]]   pattern = "build-[0-9]+", with = "build-N"     (without `with`: the line
 * disappears) ERROR_INPUT with FILE:LINE:COLUMN.
 */
int golden_scenarios_load(struct golden_scenarios *out, const char *path, struct error *err);
int golden_scenarios_parse(struct golden_scenarios *out, const char *path, const char *text,
                           size_t n, struct error *err);
const struct golden_scenario *golden_scenario_named(const struct golden_scenarios *s,
                                                    const char *name);
void golden_scenarios_free(struct golden_scenarios *s);

/* Whether a name can be a file's: at most 100 letters, digits, '.', '-', '_', not '.' first. */
bool golden_name_ok(const char *name);
/* Names of the golden traces of a folder, sorted. The caller frees the list and each name. */
char **golden_names(const char *folder, size_t *n);
