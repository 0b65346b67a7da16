/* What the files of a capture share: src/capture/snapshot*.c. */
#ifndef ROOFTOP_CAPTURE_SNAPSHOT_IMPL_H
#define ROOFTOP_CAPTURE_SNAPSHOT_IMPL_H

#include <sys/utsname.h>

#include "capture/date.h"
#include "capture/launch.h"
#include "capture/objects.h"
#include "capture/stage.h"
#include "capture/track.h"
#include "capture/writer/writer.h"
#include "format/control.h"

enum { SNAPSHOT_WORDS = 256, SNAPSHOT_WORD_BYTES = 32768 };

/* The state of one capture; too large for the program's stack. */
struct capture_state {
    struct launch *launch;
    struct control_result *row; /* NULL: all rows are taken */
    struct captured_object object;
    bool has_object, drained, after; /* after: memory after the kernel was written */
    int code;                        /* errno where files could not be written */
    struct track_list list;
    struct stage stage;
    struct writer_variable *variables;
    size_t nvariables;
    uint8_t *kernarg;
    uint64_t kernarg_size, began_ns;
    struct capture_writer *writer;
    struct writer_dispatch d;
    char path[CONTROL_PATH], why[CONTROL_WHY];
    char agent[64], isa[64], product[64], version[16], time[DATE_TEXT];
    char words[SNAPSHOT_WORD_BYTES];
    const char *command[SNAPSHOT_WORDS + 1];
    struct utsname host;
};

/* Fills d with the contents of dispatch.json: agent, command, launch. */
void snapshot_describe(struct capture_state *s);

#endif
