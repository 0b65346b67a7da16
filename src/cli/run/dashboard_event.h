/* The command :event of the dashboard: counts another event while it runs. */
#ifndef ROOFTOP_CLI_RUN_DASHBOARD_EVENT_H
#define ROOFTOP_CLI_RUN_DASHBOARD_EVENT_H

#include <stdbool.h>

#include "cli/run/screen.h"

/*
 * Adds app_event to the events of the screen's target, or takes all added ones away ("off"), and
 * says so in the footer. "ports" stands for the sets of ports. The event is opened once before: a
 * wrong name or a missing right changes nothing and is told. live: an engine is running. Returns
 * whether the target must be attached to again.
 */
bool dashboard_count_event(struct screen *s, bool live);

#endif
