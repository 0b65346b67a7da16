/*
 * A rank of a job whose slow rank is known (bench/ranks.py):
 *
 *     ranks MODE ROUNDS WORK SLOW KIND AMOUNT DISK
 *
 * Each round computes WORK units and waits for the others: by MPI (with -DRANKS_MPI), in a barrier
 * in the memory of a file, $RANKS_BARRIER ("sleep"), or not at all ("apart"). Rank SLOW does AMOUNT
 * more of KIND; "waits" gets less of the CPUs, by that niceness.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef RANKS_MPI
#include <mpi.h>
#endif

static pthread_barrier_t *barrier;
static char *disk;

static void compute(double units)
{
    double x = 1.0001;
    for (long i = 0; i < (long)(units * 1e6); i++)
        x = x * 1.0000001 + 1e-9;
    if (x < 0) /* never: the compiler must not leave the sum out */
        exit(3);
}

static void call_kernel(double units)
{
    char block[4096];
    const int fd = open("/dev/urandom", O_RDONLY);
    for (long i = 0; i < (long)(units * 200); i++)
        if (read(fd, block, sizeof block) < 0)
            exit(2);
    close(fd);
}

static void read_disk(double units)
{
    static off_t at;
    static const size_t size = 1 << 20;
    static char *block;
    const int fd = open(disk, O_RDONLY | O_DIRECT);
    if (!block && posix_memalign((void **)&block, 4096, size) != 0)
        exit(2);
    for (long i = 0; i < (long)units; i++, at = (at + (off_t)size) % ((off_t)64 << 20))
        if (pread(fd, block, size, at) < 0)
            exit(2);
    close(fd);
}

/* Gets less of the CPUs than other sessions: rooftop starts a command as a session, and Linux
 * shares CPUs out among sessions first (sched(7), autogroups). */
static void yield_cpus(int nice)
{
    FILE *f = fopen("/proc/self/autogroup", "w");
    if (!f || fprintf(f, "%d", nice) < 0 || fclose(f) != 0)
        exit(2);
}

struct shared {
    atomic_int ready;
    pthread_barrier_t barrier;
};

/* A barrier that sleeps, in memory that all ranks share; rank 0 makes it. */
static void open_barrier(int rank, int ranks)
{
    struct shared *shared;
    const char *path = getenv("RANKS_BARRIER");
    const int fd = path ? open(path, O_RDWR) : -1;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        exit(2);
    if (rank == 0) {
        pthread_barrierattr_t a;
        pthread_barrierattr_init(&a);
        pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
        pthread_barrier_init(&shared->barrier, &a, (unsigned)ranks);
        shared->ready = 1;
    }
    while (!shared->ready)
        usleep(1000);
    barrier = &shared->barrier;
}

#ifndef RANKS_MPI
static int read_number(const char *variable)
{
    const char *value = getenv(variable);
    return value ? atoi(value) : 0;
}
#endif

static void wait_for_all(void)
{
#ifdef RANKS_MPI
    double one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#else
    if (barrier)
        pthread_barrier_wait(barrier);
#endif
}

int main(int argc, char **argv)
{
    int rank, ranks;
    if (argc != 8)
        return 2;
#ifdef RANKS_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#else
    rank = read_number("RANK");
    ranks = read_number("WORLD_SIZE");
    if (strcmp(argv[1], "sleep") == 0)
        open_barrier(rank, ranks);
#endif
    const long rounds = atol(argv[2]);
    const double work = atof(argv[3]), more = atof(argv[6]);
    const char *kind = rank == atoi(argv[4]) ? argv[5] : "";
    disk = argv[7];
    if (strcmp(kind, "waits") == 0)
        yield_cpus((int)more);
    for (long i = 0; i < rounds; i++) {
        compute(work);
        if (strcmp(kind, "computes") == 0)
            compute(work * more);
        if (strcmp(kind, "system") == 0)
            call_kernel(work * more);
        if (strcmp(kind, "disk") == 0)
            read_disk(more);
        wait_for_all();
    }
#ifdef RANKS_MPI
    MPI_Finalize();
#endif
    return 0;
}
