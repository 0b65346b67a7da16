/* Files in rooftop's own formats in which every text is hostile. A failure fails the test. */
#pragma once

#include "support/made_capture.h"

/* A session of a scene (scenes.h) in which every text that documents show is replaced. */
void hostile_session(const char *path, const char *scene);
/* A trace of rocprofv3 in CSV, and a code object; both have a kernel for each hostile name. */
void hostile_rocprof(const char *path);
void hostile_code(const char *path);
/* A capture with hostile kernel, GPU, command, host, versions and variables. */
void hostile_capture(struct made_capture *out);
/* Records bricks, a backend, a transfer, a kernel and a function of this name in this process. */
void hostile_bricks(const char *name);
