/*
 * librooftop-capture.so, the tools library that the HSA runtime loads into a program
 * (HSA_TOOLS_LIB): what its files share. docs/CAPTURE.md describes how it captures.
 *
 * There are locks for: the kernels seen, the code objects (taken inside the former), the memory,
 * the queues, the request. Each is held only briefly, and none during a call of the runtime. The
 * gate (gate.h) stops the program.
 */
#ifndef ROOFTOP_CAPTURE_TOOL_H
#define ROOFTOP_CAPTURE_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/seen.h"
#include "format/control.h"

struct tool {
    struct control *control;
    bool by_hand;      /* without rooftop: events are printed to stderr */
    _Atomic bool lost; /* something could not be tracked: captures would be incomplete */
    _Atomic uint32_t plain_queues; /* queues of this process that are not intercepted */
    uint64_t ticks_per_second;     /* of the runtime's clock; 0: not asked yet */
};
extern struct tool tool;

/* Makes every later capture fail with text, which says what could not be tracked. */
void tool_lose(const char *text);
/* Sends one line to rooftop, or prints it to stderr where `by_hand`. */
void tool_say(const char *text);
uint64_t tool_now_ns(void);
/* Reads this process's memory through the kernel; false where it cannot be read. */
bool tool_peek(void *to, uint64_t address, uint64_t size);

/* Puts our functions into the runtime's tables. */
void hooks_install(const void *root);

/* --- the request, as this process knows it --- */

/* What to do with a dispatch. */
enum wanted { WANTED_NOT, WANTED_TIMED, WANTED_CAPTURED };
/* Called for each dispatch; counts it. *index: its number among its kernel's dispatches. */
enum wanted request_ask(struct seen *s, uint64_t *index);
/* The current request, copied for the thread that captures. */
struct request_now {
    uint32_t number, timeout_ms;
    bool post;
    char folder[CONTROL_PATH];
};
void request_copy(struct request_now *out);

/* --- interception --- */

struct gate_queue;
void intercept_packets(const void *packets, uint64_t count, uint64_t index, void *data,
                       void (*writer)(const void *packets, uint64_t count));

#endif
