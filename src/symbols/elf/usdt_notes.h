/*
 * The USDT probes of an ELF file: its section .note.stapsdt, as SystemTap's sys/sdt.h writes it
 * (sourceware.org/systemtap/wiki/UserSpaceProbeImplementation, version 3 of the notes).
 *
 * A note holds three addresses in the file's own word size and byte order: of the probe's nop, of
 * .stapsdt.base at link time, of the semaphore (or 0). Then come three texts: provider, name, and
 * where the arguments are. If prelink moved the file, .stapsdt.base has another address now, and
 * all addresses of the note moved by the same amount.
 *
 * Nothing in the file is trusted: sizes, addresses and texts are checked; invalid notes are counted
 * and left out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum { USDT_PROBES_MAX = 16384, USDT_NAME_MAX = 128, USDT_ARGUMENTS_MAX = 1024 };

/* One place in the code; a probe may have several. Texts are printable ASCII. */
struct usdt_probe {
    const char *provider, *name;
    const char *arguments;     /* "-4@%edi 8@16(%rsp)"; "": none */
    uint64_t address;          /* as linked */
    uint64_t offset;           /* offset of that address in the file */
    uint64_t semaphore_offset; /* in the file; 0: it has none */
    bool located; /* both offsets are known: the code and the semaphore are in the file */
};

struct usdt_notes {
    struct usdt_probe *probes; /* sorted by provider, name, address */
    size_t n;
    size_t damaged;                /* invalid notes; the rest of a section after one counts once */
    size_t left_out;               /* beyond USDT_PROBES_MAX */
    int bits;                      /* 32, 64 */
    unsigned long long dev, inode; /* identify the file that was read */
    struct arena texts;
};

/* Reads the probes of the file at path; a file may have none. ERROR_INPUT if it cannot be read or
 * is not ELF. Call usdt_notes_free even after an error. */
int usdt_notes_read(struct usdt_notes *out, const char *path, struct error *err);
/* The same from memory; name is used in messages. */
int usdt_notes_parse(struct usdt_notes *out, void *data, size_t size, const char *name,
                     struct error *err);
void usdt_notes_free(struct usdt_notes *n);
