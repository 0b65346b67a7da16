/* Bytes over the network and to disks, as counters of set "system". */
#ifndef ROOFTOP_BACKENDS_PROC_IO_H
#define ROOFTOP_BACKENDS_PROC_IO_H

#include "engine/live/snapshot.h"

struct io;

struct io *io_open(void);
/* Adds network-receive, network-transmit, disk-read and disk-write; uses out->interval_s. */
void io_fill(struct io *io, struct snapshot *out);
void io_close(struct io *io);

#endif
