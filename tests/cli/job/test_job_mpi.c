/* rooftop job --mpi with the MPI implementations that are installed. (Forks: not for TSan.) */
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

FIXTURE_STATUS(begin)
{
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    const int rc = temp_folder_make(state);
    setenv("XDG_STATE_HOME", temp_folder, 1);
    unsetenv("MPICC");
    return rc;
}

/* Rank 1 computes longer. The ranks exchange messages in ways that differ for a recorder: with and
 * without requests, for any sender, in communicators of their own, from threads. */
static const char program[] =
    "#include <mpi.h>\n"
    "#include <stdlib.h>\n"
    "#include <time.h>\n"
    "#include <unistd.h>\n"
    "static void work(int ms) { struct timespec t = {ms / 1000, ms % 1000 * 1000000L}; "
    "nanosleep(&t, 0); }\n"
    "int main(int argc, char **argv) {\n"
    "  int rank, n, a, b = -1, sum; MPI_Request q[2]; MPI_Comm half; MPI_Status st;\n"
    "  MPI_Init(&argc, &argv);\n"
    "  MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &n);\n"
    "  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);\n"
    "  for (int k = 0; k < 20; k++) {\n"
    "    int right = (rank + 1) % n, left = (rank + n - 1) % n;\n"
    "    work(rank == 1 ? 30 : 5);\n"
    "    a = rank;\n"
    "    MPI_Irecv(&b, 1, MPI_INT, MPI_ANY_SOURCE, 9 + k, MPI_COMM_WORLD, &q[0]);\n"
    "    MPI_Isend(&a, 1, MPI_INT, right, 9 + k, MPI_COMM_WORLD, &q[1]);\n"
    "    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);\n"
    "    if (b != left) abort();\n"
    "    MPI_Sendrecv(&a, 1, MPI_INT, left, 3, &b, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &st);\n"
    "    if (b != right || st.MPI_SOURCE != right) abort();\n"
    "    MPI_Allreduce(&a, &sum, 1, MPI_INT, MPI_SUM, half);\n"
    "    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);\n"
    "    if (argc > 1 && k == 10 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);\n"
    "  }\n"
    "  MPI_Comm_free(&half);\n"
    "  MPI_Barrier(MPI_COMM_WORLD);\n"
    "  MPI_Finalize();\n"
    "  return 0;\n"
    "}\n";

static const char fortran[] =
    "program ring\n"
    "use mpi\n"
    "integer ierr, rank, n, a, b, q(2)\n"
    "call MPI_Init(ierr)\n"
    "call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)\n"
    "call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)\n"
    "a = rank\n"
    "call MPI_Irecv(b, 1, MPI_INTEGER, mod(rank + n - 1, n), 3, MPI_COMM_WORLD, q(1), ierr)\n"
    "call MPI_Isend(a, 1, MPI_INTEGER, mod(rank + 1, n), 3, MPI_COMM_WORLD, q(2), ierr)\n"
    "call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, ierr)\n"
    "if (b /= mod(rank + n - 1, n)) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)\n"
    "call MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)\n"
    "call MPI_Finalize(ierr)\n"
    "end program\n";

static int run(const char *shell)
{
    struct program p;
    program_run(&p, shell);
    const int status = p.status;
    if (status != 0)
        print_message("%s\n%s", shell, p.err);
    program_free(&p);
    return status;
}

/* $MPI: the name that Debian gives the implementation; $START starts three ranks. */
static void choose(const char *mpi)
{
    program_needed();
    setenv("MPI", mpi, 1);
    setenv("START",
           strcmp(mpi, "openmpi") == 0 ? "mpirun.openmpi --oversubscribe --bind-to none -np 3"
                                       : "mpirun.mpich -np 3",
           1);
    temp_folder_put("ring.c", program);
    if (run("command -v mpirun.$MPI >/dev/null && cd $D && mpicc.$MPI -o ring ring.c") != 0)
        skip_because("%s is not installed with its mpicc: its calls are not recorded", mpi);
}

/* 3 ranks x 20 x 2 messages; 20 broadcasts, 20 all-reduces of the half with two ranks, a split and
 * a barrier. */
static void try_mpi(const char *mpi)
{
    struct program p;
    choose(mpi);
    program_expect(&p, "cd $D && $START $BIN job --mpi -o run -- ./ring", 0);
    program_free(&p);
    program_expect(&p, "cd $D && $BIN report ranks run", 0);
    program_sees(&p, "MPI: 120 messages and 42 collectives matched");
    program_sees(&p, "rank 1 holds the others up");
    program_sees(&p, "it computes longer");
    program_lacks(&p, "without a partner");
    program_free(&p);
    program_expect(&p, "cd $D && $BIN report timeline run --format json", 0);
    program_sees(&p, "MPI_Sendrecv");
    program_free(&p);
    program_expect(&p, "cd $D && $BIN report ranks run/rank-0000?/mpi.calls --format json", 0);
    program_sees(&p, "\"messages\":\t120");
    program_free(&p);
}

TEST_WITH(calls_of_open_mpi, begin, temp_folder_remove)
{
    try_mpi("openmpi");
}

TEST_WITH(calls_of_mpich, begin, temp_folder_remove)
{
    try_mpi("mpich");
}

/* The Fortran interface of Open MPI calls PMPI_Send, that of MPICH MPI_Send: both are recorded. */
static void try_fortran(const char *mpi)
{
    struct program p;
    choose(mpi);
    temp_folder_put("ring.f90", fortran);
    if (run("cd $D && mpif90.$MPI -o fring ring.f90") != 0)
        skip_because("%s has no Fortran here", mpi);
    program_expect(&p, "cd $D && $START $BIN job --mpi -o run -- ./fring", 0);
    program_free(&p);
    program_expect(&p, "cd $D && $BIN report ranks run", 0);
    program_sees(&p, "MPI: 3 messages and 1 collective matched");
    program_free(&p);
}

TEST_WITH(calls_from_fortran_by_open_mpi, begin, temp_folder_remove)
{
    try_fortran("openmpi");
}

TEST_WITH(calls_from_fortran_by_mpich, begin, temp_folder_remove)
{
    try_fortran("mpich");
}

/* What was recorded before MPI_Abort is there. */
TEST_WITH(a_job_that_aborts_is_reported, begin, temp_folder_remove)
{
    struct program p;
    choose("openmpi");
    run("cd $D && $START $BIN job --mpi -o run -- ./ring abort || true");
    program_expect(&p, "cd $D && $BIN report ranks $(find run -name mpi.calls) 2>&1", 0);
    program_sees(&p, "the rank did not call MPI_Finalize");
    program_sees(&p, "collectives matched");
    program_free(&p);
}

TEST_WITH(without_mpicc_it_says_so_before_the_program_starts, begin, temp_folder_remove)
{
    program_answers("cd $D && MPICC=/nowhere/mpicc $BIN job --mpi -o run -- touch begun 2>&1 | "
                    "grep -c 'names /nowhere/mpicc, which is not there'; test ! -e $D/begun",
                    0, "1\n", "");
    program_answers("cd $D && printf '#!/bin/sh\\necho an error of it; exit 1\\n' >cc && chmod +x "
                    "cc && MPICC=$D/cc $BIN job --mpi -o run -- touch begun 2>&1 | grep -c 'does "
                    "not build the library that records MPI: error of it'; test ! -e $D/begun",
                    0, "1\n", "");
}
