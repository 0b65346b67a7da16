/* rooftop gpu capture: what it says of the dispatches that it saved. */
#pragma once

#include "engine/capture/capturer.h"
#include "export/brief.h"

/* Reports the captures, for people on stderr, or as JSON on stdout. */
struct capture_report {
    const struct capturer_state *state;
    uint32_t number;    /* number of the request whose results are reported */
    uint64_t wanted;    /* number of the dispatch that was requested */
    const char *kernel; /* the expression that kernels had to match */
    bool every;
};
/* Each returns the exit status for the captures; it counts if the command's own status is 0. */
int capture_report_text(const struct capture_report *r);
/* The short answer, for standard output. */
void capture_brief(struct brief *b, const struct capture_report *r);
int capture_report_json(const struct capture_report *r, int wait_status);
