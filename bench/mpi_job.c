/*
 * Writes the calls of MPI of a made-up job, as `rooftop job --mpi` records them:
 *
 *     mpi_job FOLDER RANKS ROUNDS RANKS_A_HOST SLOW
 *
 * Each round computes, sends to the next rank, receives from the one before and takes part in an
 * all-reduce, so it is three spans. Rank SLOW computes half as long again as the others. Hosts have
 * clocks of their own.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/mpi_record.h"

enum { CALL_NS = 1000, TRANSFER_NS = 5000, LINE = 512 };

static uint32_t ranks, rounds, a_host, slow;
static uint64_t *begins; /* of each round, on the clock of host 0 */

static uint64_t compute_ns(uint32_t rank, uint32_t round)
{
    uint64_t x = ((uint64_t)rank << 32 | round) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return 100000 + (x >> 40) % 20000 + (rank == slow ? 60000 : 0);
}

static uint64_t find_sent(uint32_t rank, uint32_t round)
{
    return begins[round] + compute_ns(rank, round);
}

/* When the rank has sent and received. */
static uint64_t find_received(uint32_t rank, uint32_t round)
{
    const uint64_t own = find_sent(rank, round) + CALL_NS;
    const uint64_t theirs = find_sent((rank + ranks - 1) % ranks, round);
    return (own > theirs ? own : theirs) + TRANSFER_NS;
}

static void find_begins(void)
{
    begins[0] = 1000000000;
    for (uint32_t k = 0; k < rounds; k++) {
        for (uint32_t r = 0; r < ranks; r++) {
            const uint64_t at = find_received(r, k) + CALL_NS;
            begins[k + 1] = at > begins[k + 1] ? at : begins[k + 1];
        }
        begins[k + 1] += TRANSFER_NS;
    }
}

static void write_records(FILE *f, uint32_t rank)
{
    const uint64_t ahead = (uint64_t)(rank / a_host) * 1000003; /* of the host's clock */
    struct mpi_record all[4];
    memset(all, 0, sizeof all);
    all[0] = (struct mpi_record){.bytes = ranks,
                                 .communicator = MPI_RECORD_WORLD,
                                 .peer = (int32_t)rank,
                                 .what = MPI_RECORD_MEMBER};
    fwrite(all, sizeof *all, 1, f);
    for (uint32_t k = 0; k < rounds; k++) {
        const uint64_t sent = find_sent(rank, k), got = find_received(rank, k);
        const struct mpi_record common = {
            .communicator = MPI_RECORD_WORLD, .thread = 1000 + rank, .bytes = 8, .order = k};
        for (int i = 0; i < 3; i++)
            all[i] = common;
        all[0].begin = sent + ahead, all[0].end = all[0].begin + CALL_NS;
        all[0].call = MPI_RECORD_Send, all[0].what = MPI_RECORD_SPAN | MPI_RECORD_SENT;
        all[0].peer = (int32_t)((rank + 1) % ranks);
        all[1].begin = all[0].end, all[1].end = got + ahead;
        all[1].call = MPI_RECORD_Recv, all[1].what = MPI_RECORD_SPAN | MPI_RECORD_RECEIVED;
        all[1].peer = (int32_t)((rank + ranks - 1) % ranks);
        all[0].order = all[0].begin, all[1].order = all[1].begin;
        all[2].begin = got + CALL_NS + ahead, all[2].end = begins[k + 1] + ahead;
        all[2].call = MPI_RECORD_Allreduce, all[2].what = MPI_RECORD_SPAN | MPI_RECORD_TOGETHER;
        all[2].peer = -1;
        fwrite(all, sizeof *all, 3, f);
    }
}

static void write_rank(const char *folder, uint32_t rank)
{
    char path[LINE];
    struct mpi_record_header h = {.record_bytes = sizeof(struct mpi_record),
                                  .finalized = 1,
                                  .rank = rank,
                                  .ranks = ranks,
                                  .pid = 1000 + rank};
    static char rest[MPI_RECORD_HEADER];
    memcpy(h.magic, MPI_RECORD_MAGIC, sizeof MPI_RECORD_MAGIC);
    h.unix_ns = UINT64_C(1700000000000000000) - (uint64_t)(rank / a_host) * 1000003;
    snprintf(h.host, sizeof h.host, "node%" PRIu32, rank / a_host);
    snprintf(h.clock, sizeof h.clock, "boot of node%" PRIu32, rank / a_host);
    snprintf(h.library, sizeof h.library, "made up");
    snprintf(h.program, sizeof h.program, "solver");
    memcpy(rest, &h, sizeof h);
    snprintf(path, sizeof path, "%s/rank-%05" PRIu32, folder, rank);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        perror(path);
    snprintf(path, sizeof path, "%s/rank-%05" PRIu32 "/%s", folder, rank, MPI_RECORD_FILE);
    FILE *f = fopen(path, "wb");
    if (!f) {
        perror(path);
        exit(1);
    }
    fwrite(rest, sizeof rest, 1, f);
    write_records(f, rank);
    if (fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: mpi_job FOLDER RANKS ROUNDS RANKS_A_HOST SLOW\n");
        return 2;
    }
    ranks = (uint32_t)atoi(argv[2]), rounds = (uint32_t)atoi(argv[3]);
    a_host = (uint32_t)atoi(argv[4]), slow = (uint32_t)atoi(argv[5]);
    begins = calloc(rounds + (size_t)1, sizeof *begins);
    if (!begins || ranks < 2 || a_host < 1)
        return 2;
    mkdir(argv[1], 0777);
    find_begins();
    for (uint32_t r = 0; r < ranks; r++)
        write_rank(argv[1], r);
    return 0;
}
