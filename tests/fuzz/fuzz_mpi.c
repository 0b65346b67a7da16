/* Files in which ranks recorded their calls of MPI, and what is matched and aligned of them. */
#include "engine/mpi/mpi.h"
#include "graph_input.h"

extern const struct reader_ops reader_mpi;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The calls are given to two ranks in turn, on two hosts. */
static void match_calls(const struct trace *t)
{
    struct mpi_job m = {.n = 0};
    mpi_add_rank(&m, "a", 0);
    mpi_add_rank(&m, "b", 5);
    for (size_t i = 0; i < t->nmpi; i++) {
        struct mpi_call c = t->mpi[i];
        c.rank = i & 1;
        mpi_add(&m, &c);
    }
    mpi_match(&m);
    mpi_align(&m);
    mpi_find_waits(&m);
    for (size_t i = 0; i < m.nwaits; i++)
        if (m.waits[i].rank > 1 || m.waits[i].for_ > 1)
            abort();
    mpi_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    struct trace t = {.sums = graph_new(), .calls = graph_new()};
    char path[32];
    read_graph_input(&reader_mpi, data, size);
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (reader_mpi.read(path, &t, &err) == 0)
        match_calls(&t);
    trace_free(&t);
    close(fd);
    return 0;
}
