/*
 * The dumps of PyTorch's flight recorder (TORCH_NCCL_TRACE_BUFFER_SIZE, TORCH_FR_BUFFER_SIZE): a
 * file a rank, whose name ends with the number of the rank, as nccl_trace_rank_3. Sources: PyTorch,
 * torch/csrc/distributed/c10d/FlightRecorderDetail.hpp (dump, dump_json) and
 * torch/distributed/flight_recorder/components/, which reads them.
 */
#pragma once

#include "engine/job/hang.h"
#include "engine/trace/trace.h"

extern const struct reader_ops reader_flight;

struct flight; /* memory that is used for one file after the other */
struct flight *flight_new(void);
void flight_free(struct flight *f);
/* Adds the rank of a file to h. 0, or -errno with err: the file cannot be read, or is no dump. */
int flight_add(struct flight *f, struct hang *h, const char *path, struct error *err);
/* Adds the rank of a text in memory. written: as in struct hang_rank. */
int flight_add_text(struct flight *f, struct hang *h, const char *path, const char *text, size_t n,
                    uint64_t written, struct error *err);
