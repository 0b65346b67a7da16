/* Files and a program of rooftop's own all of whose texts are hostile. What fails, fails the test.
 */
#ifndef TESTS_SUPPORT_HOSTILE_FILES_H
#define TESTS_SUPPORT_HOSTILE_FILES_H

#include "support/made_capture.h"

/* A session of a scene (scenes.h): every text in it that a document shows is another now. */
void hostile_session(const char *path, const char *scene);
/* A trace of rocprofv3 in CSV; a code object: a kernel of each name. */
void hostile_rocprof(const char *path);
void hostile_code(const char *path);
/* A capture: its kernel, GPU, command, host, versions and variables. */
void hostile_capture(struct made_capture *out);
/* Records bricks, a backend, a transfer, a kernel and a function of that name in this process. */
void hostile_bricks(const char *name);

#endif
