/* rooftop job --mpi with the MPI implementations that are installed. (Forks: not for TSan.) */
#include <stdbool.h>
#include <stdio.h>
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

/* Rank 1 computes longer, which a busy machine may hide: tests/engine/mpi has the verdicts. The
 * ranks exchange messages in ways that differ for a recorder: with and without requests, for any
 * sender, in communicators of their own, from threads. */
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
    "call MPI_Ibcast(b, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, q(1), ierr)\n"
    "call MPI_Wait(q(1), MPI_STATUS_IGNORE, ierr)\n"
    "call MPI_Finalize(ierr)\n"
    "end program\n";

/* What a recorder may mix up: messages that probes take in another order than they are received,
 * persistent requests, receivers for any sender and tag, and threads that send at once and reuse
 * each other's requests. Each message has a length of its own for its place. */
static const char kinds[] =
    "#include <mpi.h>\n"
    "#include <pthread.h>\n"
    "#include <sched.h>\n"
    "#include <stdlib.h>\n"
    "static int rank, other; static char out[8][4096], in[8][4096];\n"
    "static MPI_Comm own[4];\n"
    "static void probe(void) {\n"
    "  MPI_Message m[2]; MPI_Status st; int n[2], flag = 0; MPI_Request q;\n"
    "  if (rank == 0) { MPI_Send(out, 11, MPI_CHAR, 1, 5, own[0]);\n"
    "    MPI_Send(out, 12, MPI_CHAR, 1, 5, own[0]); return; }\n"
    "  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own[0], &m[0], &st); MPI_Get_count(&st, MPI_CHAR, "
    "&n[0]);\n"
    "  while (!flag) MPI_Improbe(0, 5, own[0], &flag, &m[1], &st);\n"
    "  MPI_Get_count(&st, MPI_CHAR, &n[1]); if (n[0] != 11 || n[1] != 12) abort();\n"
    "  MPI_Mrecv(in, 12, MPI_CHAR, &m[1], MPI_STATUS_IGNORE);\n"
    "  MPI_Imrecv(in, 11, MPI_CHAR, &m[0], &q); MPI_Wait(&q, &st); }\n"
    "static void persist(void) {\n"
    "  MPI_Request q[2], one; int which;\n"
    "  MPI_Send_init(out[0], 30, MPI_CHAR, other, 6, MPI_COMM_WORLD, &q[0]);\n"
    "  MPI_Recv_init(in[0], 4096, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q[1]);\n"
    "  for (int k = 0; k < 10; k++) { MPI_Startall(2, q); MPI_Waitall(2, q, MPI_STATUSES_IGNORE); "
    "}\n"
    "  MPI_Start(&q[0]); MPI_Start(&q[1]); MPI_Waitany(2, q, &which, MPI_STATUS_IGNORE);\n"
    "  MPI_Wait(&q[!which], MPI_STATUS_IGNORE); MPI_Request_free(&q[0]); MPI_Request_free(&q[1]);\n"
    "  MPI_Irecv(in, 9, MPI_CHAR, other, 99, MPI_COMM_WORLD, &one); MPI_Cancel(&one);\n"
    "  MPI_Wait(&one, MPI_STATUS_IGNORE); }\n"
    "static void *talk(void *at) {\n"
    "  const long i = (long)at; MPI_Request q[2]; int flag;\n"
    "  for (int k = 0; k < 40; k++) {\n"
    "    MPI_Irecv(in[i], 4096, MPI_CHAR, other, 20 + (int)i, own[i], &q[0]);\n"
    "    MPI_Isend(out[i], 100 * ((int)i + 1) + k % 50, MPI_CHAR, other, 20 + (int)i, own[i], "
    "&q[1]);\n"
    "    if (k % 2) MPI_Waitall(2, q, MPI_STATUSES_IGNORE);\n"
    "    else for (int r = 0; r < 2; r++) for (flag = 0; !flag; sched_yield()) MPI_Test(&q[r], "
    "&flag, "
    "MPI_STATUS_IGNORE);\n"
    "  }\n"
    "  return 0; }\n"
    "int main(int argc, char **argv) {\n"
    "  int level; pthread_t t[4];\n"
    "  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);\n"
    "  MPI_Comm_rank(MPI_COMM_WORLD, &rank); other = 1 - rank;\n"
    "  for (int i = 0; i < 4; i++) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);\n"
    "  probe(); persist();\n"
    "  for (long i = 0; i < 2; i++) if (level == MPI_THREAD_MULTIPLE) pthread_create(&t[i], 0, "
    "talk, "
    "(void *)i); else talk((void *)i);\n"
    "  for (int i = 0; i < 2 && level == MPI_THREAD_MULTIPLE; i++) pthread_join(t[i], 0);\n"
    "  MPI_Finalize(); return 0; }\n";

/* Collectives that another call ends, and windows: what is put arrives, so the calls do their work.
 * Rank 1 is late to each barrier, and the others wait for it in MPI_Wait. */
static const char apart[] =
    "#include <mpi.h>\n"
    "#include <stdlib.h>\n"
    "#include <unistd.h>\n"
    "int main(int argc, char **argv) {\n"
    "  int rank, n, a = 1, b[8] = {0}, c[8] = {0}, flag, *mem; MPI_Request q[3]; MPI_Status "
    "st[3];\n"
    "  MPI_Win w;\n"
    "  MPI_Init(&argc, &argv);\n"
    "  MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &n);\n"
    "  for (int k = 0; k < 10; k++) {\n"
    "    if (rank == 1) usleep(20000);\n"
    "    MPI_Ibarrier(MPI_COMM_WORLD, &q[0]); MPI_Wait(&q[0], st);\n"
    "    MPI_Iallreduce(&a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[0]);\n"
    "    MPI_Ibcast(c, 1, MPI_INT, 0, MPI_COMM_WORLD, &q[1]);\n"
    "    MPI_Waitall(2, q, st); if (b[0] != n) abort();\n"
    "    MPI_Ireduce(&a, b, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD, &q[0]);\n"
    "    MPI_Iallgather(&a, 1, MPI_INT, c, 1, MPI_INT, MPI_COMM_WORLD, &q[1]);\n"
    "    MPI_Ialltoall(c, 1, MPI_INT, b + 4, 1, MPI_INT, MPI_COMM_WORLD, &q[2]);\n"
    "    for (int r = 0; r < 3; r++)\n"
    "      for (flag = 0; !flag; usleep(0)) MPI_Test(&q[r], &flag, st);\n"
    "  }\n"
    "  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &w);\n"
    "  for (int i = 0; i < 16; i++) mem[i] = 0;\n"
    "  MPI_Win_fence(MPI_MODE_NOPRECEDE, w);\n"
    "  for (int k = 0; k < 5; k++) {\n"
    "    MPI_Put(&k, 1, MPI_INT, (rank + 1) % n, 0, 1, MPI_INT, w);\n"
    "    MPI_Win_fence(0, w); if (mem[0] != k) abort();\n"
    "    MPI_Get(c, 2, MPI_INT, (rank + 1) % n, 0, 2, MPI_INT, w);\n"
    "    MPI_Win_fence(0, w); if (c[0] != k) abort();\n"
    "  }\n"
    "  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);\n"
    "  MPI_Accumulate(&a, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, w); MPI_Win_flush(0, w);\n"
    "  MPI_Win_unlock(0, w);\n"
    "  MPI_Win_lock_all(0, w); MPI_Fetch_and_op(&a, b, MPI_INT, 0, 4, MPI_SUM, w);\n"
    "  MPI_Win_unlock_all(w); MPI_Win_free(&w);\n"
    "  MPI_Finalize(); return 0; }\n";

/* Rank 0 sends late, and the others poll in four ways. Then rank 1 is late to give its memory to
 * rank 2, and that to say that it has done; then it keeps a lock for which rank 0 waits. */
static const char polls[] =
    "#include <mpi.h>\n"
    "#include <unistd.h>\n"
    "int main(int argc, char **argv) {\n"
    "  int rank, a = 1, b, flag, *mem; MPI_Request q; MPI_Win w; MPI_Group all, peer; MPI_Status "
    "st;\n"
    "  MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "  const int other = rank ? 3 - rank : 0;\n"
    "  for (int k = 0; k < 8; k++) {\n"
    "    if (rank == 0) { usleep(20000); for (int i = 1; i < 3; i++)\n"
    "      MPI_Send(&a, 1, MPI_INT, i, 7, MPI_COMM_WORLD); continue; }\n"
    "    if (k % 4 < 2) MPI_Irecv(&b, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &q);\n"
    "    if (k % 4 == 0) for (flag = 0; !flag;) MPI_Test(&q, &flag, &st);\n"
    "    if (k % 4 == 1) for (flag = 0; !flag;) MPI_Testall(1, &q, &flag, &st);\n"
    "    if (k % 4 == 2) for (flag = 0; !flag;) MPI_Iprobe(0, 7, MPI_COMM_WORLD, &flag, &st);\n"
    "    if (k % 4 == 3) MPI_Probe(0, 7, MPI_COMM_WORLD, &st);\n"
    "    if (k % 4 > 1) MPI_Recv(&b, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &st); }\n"
    "  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &w);\n"
    "  MPI_Comm_group(MPI_COMM_WORLD, &all); MPI_Group_incl(all, 1, &other, &peer);\n"
    "  for (int k = 0; k < 10; k++) {\n"
    "    if (rank == 1) { if (k < 5) usleep(20000); MPI_Win_post(peer, 0, w);\n"
    "      if (k % 2) MPI_Win_wait(w); else for (flag = 0; !flag;) MPI_Win_test(w, &flag); }\n"
    "    if (rank == 2) { MPI_Win_start(peer, 0, w); MPI_Put(&k, 1, MPI_INT, 1, 0, 1, MPI_INT, "
    "w);\n"
    "      if (k >= 5) usleep(20000); MPI_Win_complete(w); } }\n"
    "  for (int k = 0; k < 5 && rank < 2; k++) {\n"
    "    if (rank == 0) MPI_Recv(&b, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &st);\n"
    "    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, w);\n"
    "    MPI_Put(&a, 1, MPI_INT, 2, 1, 1, MPI_INT, w); MPI_Win_flush(2, w);\n"
    "    if (rank == 1) { MPI_Send(&a, 1, MPI_INT, 0, 8, MPI_COMM_WORLD); usleep(20000); }\n"
    "    MPI_Win_unlock(2, w); }\n"
    "  MPI_Win_free(&w); MPI_Finalize(); return 0; }\n";

/* 100,000 messages; the recorder takes no memory for them. */
static const char many[] =
    "#include <mpi.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <sys/resource.h>\n"
    "static long most(void) { struct rusage u; getrusage(RUSAGE_SELF, &u); return u.ru_maxrss; }\n"
    "int main(int argc, char **argv) {\n"
    "  int rank, n, a = 0; long before = 0;\n"
    "  MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "  MPI_Comm_size(MPI_COMM_WORLD, &n);\n"
    "  for (int k = 0; k < 100000; k++) {\n"
    "    if (k == 50000) before = most();\n"
    "    MPI_Sendrecv_replace(&a, 1, MPI_INT, rank, 1, rank, 1, MPI_COMM_WORLD, "
    "MPI_STATUS_IGNORE); }\n"
    "  if (most() - before > 2048) { fprintf(stderr, \"%ld KiB more\\n\", most() - before); "
    "abort(); }\n"
    "  MPI_Finalize(); return 0; }\n";

/* A program, and what its ranks exchange. */
struct job_case {
    const char *file, *text, *build; /* build: before the name of the MPI */
    int ranks;
    const char *matched;
};

/* 3 ranks x 20 x 2 messages; 20 broadcasts, 20 all-reduces of the half with two ranks, a split and
 * a barrier. */
static const struct job_case ring_job = {"ring.c", program, "mpicc", 3,
                                         "MPI: 120 messages and 42 collectives matched"};
/* The Fortran interface of Open MPI calls PMPI_Send, that of MPICH MPI_Send: both are recorded. */
static const struct job_case fortran_job = {"ring.f90", fortran, "mpif90", 3,
                                            "MPI: 3 messages and 2 collectives matched"};
/* 2 + 2 x 11 + 2 x 2 x 40 messages, 4 communicators. */
static const struct job_case kinds_job = {"kinds.c", kinds, "mpicc", 2,
                                          "MPI: 184 messages and 4 collectives matched"};
/* 10 times 6 collectives, 10 fences. */
static const struct job_case apart_job = {"apart.c", apart, "mpicc", 3,
                                          "MPI: 0 messages and 70 collectives matched"};
static const struct job_case polls_job = {"polls.c", polls, "mpicc", 3,
                                          "MPI: 21 messages and 0 collectives matched"};
static const struct job_case many_job = {"many.c", many, "mpicc", 2,
                                         "MPI: 200000 messages and 0 collectives matched"};
/* Ranks that are killed leave what they had recorded. All are: one alone would leave others that
 * wait for it. A rank that is at the last barrier has recorded the nine before. */
static const struct job_case killed_job = {
    "die.c",
    "#include <mpi.h>\n#include <signal.h>\n"
    "int main(int argc, char **argv) { MPI_Init(&argc, &argv);\n"
    "for (int k = 0; k < 10; k++) MPI_Barrier(MPI_COMM_WORLD);\n"
    "raise(SIGKILL); MPI_Finalize(); return 0; }\n",
    "mpicc", 3, " (9|10) collectives matched"};
/* Rank 0 calls MPI_Abort in step 10, when all have recorded ten steps and the split before them. */
static const struct job_case aborted_job = {"ring.c", program, "mpicc", 3,
                                            " 2[1-3] collectives matched"};

/* Sets $MPI, the name that Debian gives the implementation, and $START, which starts the ranks, and
 * builds $D/job. */
static void choose(const char *mpi, const struct job_case *c)
{
    char text[100];
    struct program p;
    program_needed();
    snprintf(text, sizeof text, "mpirun.%s -np %d", mpi, c->ranks);
    if (strcmp(mpi, "openmpi") == 0)
        strcat(text, " --oversubscribe --bind-to none");
    setenv("MPI", mpi, 1);
    setenv("START", text, 1);
    temp_folder_put(c->file, c->text);
    snprintf(text, sizeof text, "command -v mpirun.$MPI && %s.$MPI --version", c->build);
    program_run(&p, text);
    const bool installed = p.status == 0;
    program_free(&p);
    if (!installed)
        skip_because("%s is not installed with %s: its calls are not recorded", mpi, c->build);
    snprintf(text, sizeof text, "cd $D && %s.$MPI -pthread -o job %s", c->build, c->file);
    program_expect(&p, text, 0);
    program_free(&p);
}

static void expect(const char *shell)
{
    struct program p;
    program_expect(&p, shell, 0);
    program_free(&p);
}

static void expect_to_see(const char *shell, const char *text)
{
    struct program p;
    program_expect(&p, shell, 0);
    program_sees(&p, text);
    program_free(&p);
}

static void try_job(const char *mpi, const struct job_case *c)
{
    struct program p;
    choose(mpi, c);
    expect("cd $D && $START $BIN job --mpi -o run -- ./job");
    program_expect(&p, "cd $D && $BIN report ranks run", 0);
    program_sees(&p, c->matched);
    program_lacks(&p, "without a partner");
    program_free(&p);
}

/* The job ends before MPI_Finalize. What it matched is a pattern of grep. */
static void try_ended_job(const char *mpi, const struct job_case *c)
{
    choose(mpi, c);
    setenv("MATCHED", c->matched, 1);
    expect("cd $D; timeout 60 $START $BIN job --mpi -o run -- ./job abort >out 2>&1; "
           "$BIN report ranks $(find run -name mpi.calls) >out 2>&1 && "
           "grep -q 'the rank did not call MPI_Finalize' out && grep -qE \"$MATCHED\" out");
}

static void try_ring(const char *mpi)
{
    try_job(mpi, &ring_job);
    expect_to_see("cd $D && $BIN report timeline run --format json", "MPI_Sendrecv");
    expect_to_see("cd $D && $BIN report ranks run/rank-0000?/mpi.calls --format json",
                  "\"messages\":\t120");
}

TEST_WITH(calls_of_open_mpi, begin, temp_folder_remove)
{
    try_ring("openmpi");
}

TEST_WITH(calls_of_mpich, begin, temp_folder_remove)
{
    try_ring("mpich");
}

TEST_WITH(calls_from_fortran_by_open_mpi, begin, temp_folder_remove)
{
    try_job("openmpi", &fortran_job);
}

TEST_WITH(calls_from_fortran_by_mpich, begin, temp_folder_remove)
{
    try_job("mpich", &fortran_job);
}

TEST_WITH(all_kinds_of_requests_and_threads_by_open_mpi, begin, temp_folder_remove)
{
    try_job("openmpi", &kinds_job);
}

TEST_WITH(all_kinds_of_requests_and_threads_by_mpich, begin, temp_folder_remove)
{
    try_job("mpich", &kinds_job);
}

static void try_apart(const char *mpi)
{
    try_job(mpi, &apart_job);
    expect_to_see("cd $D && $BIN report timeline run --format json", "MPI_Win_flush");
    expect_to_see("cd $D && $BIN report ranks run", "barrier, group world        10 ");
    /* each rank said how long it was in MPI: the same numbers are columns of the first screen */
    expect_to_see("cd $D && $BIN report ranks run --format csv",
                  "mpi_s,late_sender_s,late_receiver_s,at_collectives_s,waited_for_s");
    expect("cd $D && $BIN report ranks run --format json | grep -c '\"at_collectives_s\":' | "
           "grep -qx 3");
}

TEST_WITH(collectives_that_another_call_ends_and_windows_by_open_mpi, begin, temp_folder_remove)
{
    try_apart("openmpi");
}

TEST_WITH(collectives_that_another_call_ends_and_windows_by_mpich, begin, temp_folder_remove)
{
    try_apart("mpich");
}

/* Each rank that polled, and each that shared a window, waited for more than a tenth of what the
 * others slept. The record of a poll has the time of all of them. */
static void try_polls(const char *mpi)
{
    try_job(mpi, &polls_job);
    expect("cd $D && $BIN report ranks run --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; "
           "i++) at[$i] = i; next } $at[\"at_windows_s\"] < 0.01 || (NR > 2 && "
           "$at[\"late_sender_s\"] < 0.016) { exit 1 }'");
    expect("cd $D && test $(stat -c %s run/rank-00001/mpi.calls) -lt 12000");
}

TEST_WITH(polling_and_windows_wait_for_late_ranks_by_open_mpi, begin, temp_folder_remove)
{
    try_polls("openmpi");
}

TEST_WITH(polling_and_windows_wait_for_late_ranks_by_mpich, begin, temp_folder_remove)
{
    try_polls("mpich");
}

TEST_WITH(many_messages_take_no_memory, begin, temp_folder_remove)
{
    try_job("openmpi", &many_job);
    expect("cd $D && test $(stat -c %s run/rank-00001/mpi.calls) -lt 13000000");
}

TEST_WITH(killed_ranks_leave_their_calls, begin, temp_folder_remove)
{
    try_ended_job("mpich", &killed_job);
}

/* What was recorded before MPI_Abort is there. */
TEST_WITH(a_job_that_aborts_is_reported, begin, temp_folder_remove)
{
    try_ended_job("openmpi", &aborted_job);
}

/* A rank that is not recorded is not waited for: the recorder sends nothing of its own. */
TEST_WITH(a_rank_that_is_not_recorded_is_not_waited_for, begin, temp_folder_remove)
{
    choose("openmpi", &ring_job);
    expect("cd $D && timeout 60 mpirun.openmpi --oversubscribe --bind-to none -np 1 ./job : "
           "-np 2 $BIN job --mpi -o run -- ./job");
}

/* A program of a recorded rank may start a job of its own. What is loaded for the outer one would
 * write into the folders of the inner one. */
TEST_WITH(a_job_in_a_job_records_what_it_was_asked_for, begin, temp_folder_remove)
{
    choose("openmpi", &ring_job);
    expect(
        "export ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0; "
        "cd $D && MPICC=mpicc.openmpi RANK=0 WORLD_SIZE=1 LD_PRELOAD=libm.so.6 "
        "$BIN job --mpi -o outer -- sh -c '"
        "echo \"$LD_PRELOAD\" | grep -q /librooftop-mpi- || exit 1; "
        "$START $BIN job -o inner -- sh -c \"./job && echo \\$LD_PRELOAD >\\$ROOFTOP_RANK_FOLDER/"
        "loaded\"' && test ! -e inner/rank-00000/mpi.calls && "
        "grep -qx libm.so.6 inner/rank-00000/loaded");
}

/* Which rank has most of it depends on the machine; tests/engine/path knows what is right. */
TEST_WITH(the_path_goes_through_several_ranks, begin, temp_folder_remove)
{
    try_job("openmpi", &ring_job);
    expect_to_see("cd $D && $BIN report path run", "The path by rank or file:\n  rank ");
    expect_to_see("cd $D && $BIN report path run", "It goes over to another rank");
}

/* An mpicc of another MPI is refused with the reason; a relative one is found. */
TEST_WITH(an_mpicc_of_another_mpi_is_refused, begin, temp_folder_remove)
{
    struct program p;
    choose("mpich", &ring_job);
    choose("openmpi", &ring_job);
    program_expect(&p, "cd $D && MPICC=mpicc.mpich $BIN job --mpi -o run -- ./job", 6);
    assert_non_null(strstr(p.err, "./job is linked with libmpi.so.40, not with libmpich.so.12"));
    program_free(&p);
    expect("cd $D && mkdir bin && ln -s $(command -v mpicc.openmpi) bin/mpicc.openmpi && "
           "MPICC=bin/mpicc.openmpi $START $BIN job --mpi -o run -- ./job && "
           "test -e run/rank-00002/mpi.calls");
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
