// Capture and replay as a user runs them: lines of shell, in which $APP is the program of apps/,
// $ROOFTOP rooftop on the emulated GPU, $PLAIN rooftop as it is (what it starts may run there), $D
// a folder that is removed at the end.
#pragma once

#include "support/program.h"
#include <stdbool.h>

int scene_begin(void **state); // for a group of tests
int scene_end(void **state);
// What compiles for AMD's GPUs here, $CLANG; "": nothing does.
const char *scene_clang(void);
// Whether this runtime has virtual memory at all, which replay needs.
bool scene_has_vmem(void);

void scene_run(struct program *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Fails the test unless the exit status is this one and one of the streams has the words (NULL:
// any).
void expect(int status, const char *words, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Ends the program, whose process is $D/pid, with a signal once a file of the capture is there.
#define END_ONCE "(until ls %s >/dev/null 2>&1; do sleep 0.02; done; kill -%s $(cat $D/%s)) & "
#define APP_TOLD "sh -c 'echo $$ >$D/pid; exec $APP \"$@\"' - "
