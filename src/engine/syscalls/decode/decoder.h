/*
 * What the decoders of argument types share. A decoder writes one argument and calls these
 * functions for the memory that it needs. It runs three times for a call: at the entry and at the
 * return, when `out` is NULL and the memory is read from the traced program and kept; and later,
 * when the text is written from the kept memory. So exactly the memory that the text needs is
 * fetched.
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

/* --- memory. These functions fail if the memory was not kept or cannot be read. */

/* Returns up to n bytes; *got: how many. The pointer is valid until the next look. */
const uint8_t *look(struct decoder *d, bool when, uint64_t address, size_t n, size_t *got);
/* Copies exactly n bytes. */
bool take(struct decoder *d, bool when, uint64_t address, void *out, size_t n);
/* Copies n longs of the ABI, 4 or 8 bytes each, sign-extended. */
bool take_longs(struct decoder *d, bool when, uint64_t address, int64_t *out, size_t n);
/* Returns a string that ends with NUL, at most max bytes (0: the limit for strings). *cut: it is
 * longer. */
const uint8_t *look_string(struct decoder *d, bool when, uint64_t address, size_t max, size_t *got,
                           bool *cut);

/* --- the call */

/* Bytes of a long and of a pointer in the call's ABI. */
unsigned long_size(const struct decoder *d);
unsigned pointer_size(const struct decoder *d);
/* Whether the call returned without error, so that it wrote its results. */
bool has_result(const struct decoder *d);
/* The value of the argument that `arg` depends on. */
uint64_t other(const struct decoder *d, unsigned arg);

/* --- text. `when` is AT_ENTRY or AT_RETURN: the moment of the memory to write. Memory that was not
 * kept is written as its address. */

/* printf. No text of the traced program may go through it: emit_quoted is for that. */
void emit(struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes a text of rooftop's own unchanged. */
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
/* Writes text in quotes with escapes as in C, followed by `...` if it goes on. */
void emit_quoted(struct decoder *d, const uint8_t *bytes, size_t n, bool goes_on);
void emit_flags(struct decoder *d, const struct constants *table, uint64_t value);
/* Writes a text, followed by the flags if there are any: O_RDWR|O_CREAT. */
void emit_rest(struct decoder *d, const char *first, const struct constants *table, uint64_t rest);
void emit_constant(struct decoder *d, const struct constants *table, uint64_t value);
void emit_fd(struct decoder *d, int fd);
void emit_id(struct decoder *d, uint32_t id); /* id of a user or group; -1 = none */
void emit_task(struct decoder *d, int32_t tid);
void emit_user(struct decoder *d, uint32_t id); /* a user or group */
/* struct ucred: a process, its user and group. */
void emit_credentials(struct decoder *d, const int32_t of[3]);
/* Whether the text must be the same in every run. */
bool is_for_all_runs(const struct decoder *d);
/* Writes an argument that may be an address: in a text for all runs a large number is ADDRESS. */
void emit_hex(struct decoder *d, uint64_t number);
void emit_mode(struct decoder *d, uint32_t mode);
void emit_dev(struct decoder *d, uint64_t major, uint64_t minor);
void emit_signal(struct decoder *d, int64_t number);
/* Writes the string or buffer at an address, or the address if the memory was not kept. */
void emit_string(struct decoder *d, bool when, uint64_t address, size_t max);
void emit_buffer(struct decoder *d, bool when, uint64_t address, uint64_t n);
void emit_open_flags(struct decoder *d, uint64_t flags);
void emit_timespec(struct decoder *d, bool when, uint64_t address);
void emit_timeval(struct decoder *d, bool when, uint64_t address);
void emit_si_code(struct decoder *d, int signal, int code);
/* For the results of poll and select: writes the descriptors that became ready. emit_fdset writes
 * nothing and fails if the set was not kept. */
void emit_ready_pollfds(struct decoder *d, uint64_t address, uint32_t n);
/* Writes before, name and the descriptors in a set at the return; nothing, and false, if it is
 * empty. */
bool emit_ready_fdset(struct decoder *d, uint64_t address, int nfds, const char *before,
                      const char *name);
void emit_personality(struct decoder *d, uint32_t value);
/* {tv_sec=1, tv_nsec=5}; part is "nsec" or "usec". */
void emit_time(struct decoder *d, int64_t seconds, int64_t fraction, const char *part);
void emit_siginfo(struct decoder *d, bool when, uint64_t address);
void emit_sockaddr(struct decoder *d, bool when, uint64_t address, uint64_t n);

/* Writes an array: `[a, b]`. size: bytes of an element; each() writes the one at an address.
 * Elements beyond the limit for strings become `...`. */
void emit_array(struct decoder *d, uint64_t address, uint64_t count, size_t size,
                void (*each)(struct decoder *d, uint64_t address));
