/* What the files of cli/fleet share. */
#pragma once

#include "cli/fleet/fleet.h"

/* Writes documents of what runs; returns the exit status. */
int fleet_headless(struct options *o, struct fleet_run *run);
