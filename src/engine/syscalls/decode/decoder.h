/*
 * What the decoders of argument types share. A decoder writes one argument; the memory that it
 * needs it asks for here. The same decoder runs three times for a call: at the entry and at the
 * return, when `out` is NULL and what it asks for is read from the traced program and kept; and
 * later, when the text is written from what was kept. So what is fetched is what is written, by
 * construction.
 *
 * To add a decoder: docs/HOWTO_ADD.md, "A system call, or a decoder of its arguments".
 */
#pragma once

#include "engine/syscalls/calls_impl.h"
#include "engine/syscalls/constants/constants.h"
#include "engine/syscalls/decode/decode.h"
#include "engine/syscalls/decode/format.h"
#include "engine/syscalls/memory.h"

struct decoder {
    struct line *out; /* NULL: memory is fetched */
    const struct syscall_event *e;
    const struct syscall_call *call; /* NULL: not in the table */
    const struct syscall_context *context;
    /* While fetching: */
    const struct syscall_memory *memory;
    struct syscall_pieces *pieces;
    uint32_t limit;
    bool at_return;
};

/* When memory is looked at. */
enum { AT_ENTRY = 0, AT_RETURN = 1 };

/* --- memory. All of these fail where the memory was not kept or cannot be read. */

/* Up to n bytes; *got says how many there are. The pointer is good until the next look. */
const uint8_t *look(struct decoder *d, bool when, uint64_t address, size_t n, size_t *got);
/* Copies exactly n bytes. */
bool take(struct decoder *d, bool when, uint64_t address, void *out, size_t n);
/* Copies n longs of the ABI, 4 or 8 bytes each, sign-extended. */
bool take_longs(struct decoder *d, bool when, uint64_t address, int64_t *out, size_t n);
/* A string that ends with NUL, of at most max bytes (0: the limit for strings). *cut: it goes on.
 */
const uint8_t *look_string(struct decoder *d, bool when, uint64_t address, size_t max, size_t *got,
                           bool *cut);

/* --- the call */

/* Bytes of a long and of a pointer in the call's ABI. */
unsigned long_size(const struct decoder *d);
unsigned pointer_size(const struct decoder *d);
/* The call has returned without error: what it wrote is there. */
bool has_result(const struct decoder *d);
/* The value of the argument that this one depends on. */
uint64_t other(const struct decoder *d, unsigned arg);

/* --- text. `when` is AT_ENTRY or AT_RETURN: which of the memory is written. What was not kept is
 * written as its address. */

/* printf. No text of the traced program may go through it: emit_quoted is for that. */
void emit(struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A text of rooftop's own as it is. */
static inline void emit_text(struct decoder *d, const char *text)
{
    if (d->out)
        line_put(d->out, text, strlen(text));
}
/* Decimal numbers. */
static inline void emit_unsigned(struct decoder *d, uint64_t number)
{
    if (d->out)
        line_put_decimal(d->out, number, false);
}
static inline void emit_number(struct decoder *d, int64_t number)
{
    if (d->out)
        line_put_decimal(d->out, number < 0 ? -(uint64_t)number : (uint64_t)number, number < 0);
}
/* "NULL" or a hexadecimal number. */
void emit_address(struct decoder *d, uint64_t address);
/* Text in quotes with escapes as in C; `...` behind it if it goes on. */
void emit_quoted(struct decoder *d, const uint8_t *bytes, size_t n, bool goes_on);
/* The same without quotes: quote is '>', say, and escaped too. */
void emit_escaped(struct decoder *d, const uint8_t *bytes, size_t n, char quote);
void emit_flags(struct decoder *d, const struct constants *table, uint64_t value);
/* A text, and flags behind it if there are any: O_RDWR|O_CREAT. */
void emit_rest(struct decoder *d, const char *first, const struct constants *table, uint64_t rest);
void emit_constant(struct decoder *d, const struct constants *table, uint64_t value);
void emit_fd(struct decoder *d, int fd);
void emit_id(struct decoder *d, uint32_t id); /* of a user or group: -1 is none */
void emit_task(struct decoder *d, int32_t tid);
void emit_user(struct decoder *d, uint32_t id); /* a user or group */
/* struct ucred: a process, its user and group. */
void emit_credentials(struct decoder *d, const int32_t of[3]);
/* Whether the text is to be the same in every run. */
bool is_for_all_runs(const struct decoder *d);
/* An argument that may be an address: where the text is for all runs, a large number is ADDRESS. */
void emit_hex(struct decoder *d, uint64_t number);
void emit_mode(struct decoder *d, uint32_t mode);
void emit_dev(struct decoder *d, uint64_t major, uint64_t minor);
void emit_signal(struct decoder *d, int64_t number);
/* A string or buffer at an address; the address itself where it was not kept. */
void emit_string(struct decoder *d, bool when, uint64_t address, size_t max);
void emit_buffer(struct decoder *d, bool when, uint64_t address, uint64_t n);
void emit_open_flags(struct decoder *d, uint64_t flags);
void emit_timespec(struct decoder *d, bool when, uint64_t address);
void emit_timeval(struct decoder *d, bool when, uint64_t address);
void emit_si_code(struct decoder *d, int signal, int code);
/* What became ready, for the results of poll and select. emit_fdset fails, and writes nothing,
 * where the set was not kept. */
void emit_ready_pollfds(struct decoder *d, uint64_t address, uint32_t n);
/* The descriptors in a set at the return, behind two texts; false, and nothing, if there are none.
 */
bool emit_ready_fdset(struct decoder *d, uint64_t address, int nfds, const char *before,
                      const char *name);
void emit_personality(struct decoder *d, uint32_t value);
/* {tv_sec=1, tv_nsec=5}; part is "nsec" or "usec". */
void emit_time(struct decoder *d, int64_t seconds, int64_t fraction, const char *part);
void emit_siginfo(struct decoder *d, bool when, uint64_t address);
void emit_sockaddr(struct decoder *d, bool when, uint64_t address, uint64_t n);
/* count elements, of which the first `bytes` bytes matter. */
void emit_iovec(struct decoder *d, bool when, uint64_t address, uint64_t count, uint64_t bytes);

/*
 * Writes an array: `[a, b]`. size is that of one element; each() writes element at its address.
 * More elements than the limit for strings become `...`.
 */
void emit_array(struct decoder *d, uint64_t address, uint64_t count, size_t size,
                void (*each)(struct decoder *d, uint64_t address));
