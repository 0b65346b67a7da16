/* rooftop capture: one dispatch of a command's kernel, kept with all memory it could reach. */
#ifndef ROOFTOP_CLI_CAPTURE_H
#define ROOFTOP_CLI_CAPTURE_H

#include "cli/options/options.h"
#include "engine/capture/capturer.h"

/* What came of it, for people on stderr, or as JSON on stdout. */
struct capture_report {
    const struct capturer_state *state;
    uint32_t number;    /* of the request whose results are told */
    uint64_t wanted;    /* which dispatch was asked for */
    const char *kernel; /* the expression */
    bool every;
};
/* The exit status that belongs to it, where the command's own is 0. */
int capture_report_text(const struct capture_report *r);
int capture_report_json(const struct capture_report *r, int wait_status);

#endif
