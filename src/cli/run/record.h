/* rooftop record: writes samples to a session file. */
#ifndef ROOFTOP_CLI_RUN_RECORD_H
#define ROOFTOP_CLI_RUN_RECORD_H

#include "cli/options/options.h"
#include "engine/session/session.h"

/* Creates the session that the options name. */
int record_open(struct session_writer **out, const struct options *o, struct error *err);

#endif
