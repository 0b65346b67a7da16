/*
 * The USDT probes of an ELF file: its section .note.stapsdt, as SystemTap's sys/sdt.h writes it
 * (sourceware.org/systemtap/wiki/UserSpaceProbeImplementation, version 3 of the notes).
 *
 * A note holds three addresses in the file's own word size and byte order (the probe's nop, that of
 * .stapsdt.base when it was linked, the semaphore or 0), then three texts: provider, name, and
 * where the arguments are. A file that was moved by prelink says so by the address that
 * .stapsdt.base has now: all of a note's addresses have moved as far.
 *
 * Nothing in the file is trusted: sizes, addresses and texts are checked, what makes no sense is
 * counted and left out.
 */
#ifndef ROOFTOP_SYMBOLS_ELF_USDT_NOTES_H
#define ROOFTOP_SYMBOLS_ELF_USDT_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum { USDT_PROBES_MAX = 16384, USDT_NAME_MAX = 128, USDT_ARGUMENTS_MAX = 1024 };

/* One place in the code; a probe may have several. Texts are printable ASCII. */
struct usdt_probe {
    const char *provider, *name;
    const char *arguments;     /* "-4@%edi 8@16(%rsp)"; "" none */
    uint64_t address;          /* as linked */
    uint64_t offset;           /* in the file, of that address */
    uint64_t semaphore_offset; /* in the file; 0 = it has none */
    bool located; /* both offsets are known: code in the file, and a counter that is in the file */
};

struct usdt_notes {
    struct usdt_probe *probes; /* by provider, name, address */
    size_t n;
    size_t damaged;  /* notes that make no sense, the rest of a section counted once */
    size_t left_out; /* beyond USDT_PROBES_MAX */
    int bits;        /* 32, 64 */
    unsigned long long dev, inode; /* of the file that was read */
    struct arena texts;
};

/* ERROR_INPUT where path cannot be read or is no ELF file; a file without probes has none. Free the
 * result after either outcome. */
int usdt_notes_read(struct usdt_notes *out, const char *path, struct error *err);
/* The same from memory, called name in messages. */
int usdt_notes_parse(struct usdt_notes *out, void *data, size_t size, const char *name,
                     struct error *err);
void usdt_notes_free(struct usdt_notes *n);

#endif
