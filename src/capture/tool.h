/*
 * librooftop-capture.so, the tools library that the HSA runtime loads into a program
 * (HSA_TOOLS_LIB): what its parts share. docs/CAPTURE.md says how it captures.
 *
 * Locks, each held only for a short time, and none while the runtime is called: of the kernels
 * seen, of the code objects (taken within the former), of the memory, of the queues, of the
 * request. The gate (gate.h) is what stands the program still.
 */
#ifndef ROOFTOP_CAPTURE_TOOL_H
#define ROOFTOP_CAPTURE_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "format/control.h"
#include "capture/seen.h"

struct tool {
    struct control *control;
    bool by_hand;      /* nobody looks at the control page: what happens goes to stderr */
    _Atomic bool lost; /* something could not be kept track of: captures would not be whole */
    _Atomic uint32_t plain_queues; /* of this process: not intercepted */
    uint64_t ticks_per_second;     /* of the runtime's clock; 0: not asked yet */
};
extern struct tool tool;

/* Every capture is told to fail from now on: text says what could not be kept track of. */
void tool_lose(const char *text);
/* One line, to rooftop or, by hand, to stderr. */
void tool_say(const char *text);
uint64_t tool_now_ns(void);
/* Bytes of this process's memory, checked by the kernel: false where they cannot be read. */
bool tool_peek(void *to, uint64_t address, uint64_t size);

/* Puts our functions into the runtime's tables. */
void hooks_install(const void *root);

/* --- the request, as this process has it --- */

/* What is to be done with a dispatch. */
enum wanted { WANTED_NOT, WANTED_TIMED, WANTED_CAPTURED };
/* Called for every dispatch; counts it. *index: which of its kernel's it is. */
enum wanted request_ask(struct seen *s, uint64_t *index);
/* The request in force; valid for the thread that captures. */
struct request_now {
    uint32_t number, timeout_ms;
    bool post;
    char folder[CONTROL_PATH];
};
void request_copy(struct request_now *out);

/* --- interception --- */

struct queue;
void intercept_packets(const void *packets, uint64_t count, uint64_t index, void *data,
                       void (*writer)(const void *packets, uint64_t count));

#endif
