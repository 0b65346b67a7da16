/* Who a rank is, by the environment: as the real launchers set it (their output is kept here), and
 * one inside the other. */
#include "engine/job/launcher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static const char *const names[] = {
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "TORCHELASTIC_RUN_ID",
    "TORCHELASTIC_RESTART_COUNT",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "PMIX_NAMESPACE",
    "PMIX_RANK",
    "OMPI_MCA_ess_base_jobid",
    "PALS_RANKID",
    "PALS_LOCAL_RANKID",
    "PALS_APID",
    "FLUX_TASK_RANK",
    "FLUX_JOB_SIZE",
    "FLUX_TASK_LOCAL_ID",
    "FLUX_JOB_ID",
    "PMI_RANK",
    "PMI_SIZE",
    "MPI_LOCALRANKID",
    "PMI_LOCAL_RANK",
    "PMI_JOBID",
    "SLURM_STEP_ID",
    "SLURM_PROCID",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_NTASKS",
    "SLURM_LOCALID",
    "SLURM_JOB_ID",
    "SLURM_RESTART_COUNT",
};

FIXTURE(forget)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

/* Sets "NAME=VALUE NAME=VALUE". */
static void put(const char *list)
{
    char text[512], *save = NULL;
    strcpy(text, list);
    for (char *p = strtok_r(text, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        *strchr(p, '=') = '\0';
        setenv(p, p + strlen(p) + 1, 1);
    }
}

TEST_WITH(each_launcher_is_known_by_its_variables, forget, forget)
{
    static const struct {
        const char *env, *launcher, *job, *step;
        unsigned rank, ranks, local, restart;
    } rows[] = {
        {"RANK=5 WORLD_SIZE=8 LOCAL_RANK=1 TORCHELASTIC_RUN_ID=r1 TORCHELASTIC_RESTART_COUNT=2",
         "torchrun", "r1", "", 5, 8, 1, 2},
        {"OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1 "
         "PMIX_NAMESPACE=735510529 PMIX_RANK=3 OMPI_MCA_ess_base_jobid=735510529",
         "openmpi", "735510529", "", 3, 4, 1, 0},
        {"PALS_RANKID=9 PMI_RANK=9 PMI_SIZE=12 PALS_LOCAL_RANKID=3 PALS_APID=ab-1", "pals", "ab-1",
         "", 9, 12, 3, 0},
        {"FLUX_TASK_RANK=1 FLUX_JOB_SIZE=2 FLUX_TASK_LOCAL_ID=0 FLUX_JOB_ID=f1", "flux", "f1", "",
         1, 2, 0, 0},
        {"PMI_RANK=1 PMI_SIZE=3 MPI_LOCALRANKID=1", "hydra", "", "", 1, 3, 1, 0},
        {"SLURM_STEP_ID=0 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=9 SLURM_LOCALID=0 "
         "SLURM_JOB_ID=77 SLURM_RESTART_COUNT=1",
         "slurm", "77", "0", 2, 4, 0, 1},
        {"PMI_RANK=6 PMI_SIZE=7 PMI_LOCAL_RANK=2", "pmi", "", "", 6, 7, 2, 0},
        {"RANK=1 WORLD_SIZE=2 LOCAL_RANK=1", "environment", "", "", 1, 2, 1, 0},
        {"SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=77", "", "", "", 0, 1, 0, 0}, /* a batch script
                                                                                    */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rank_summary s;
        struct error err = ERROR_INIT;
        forget(NULL);
        put(rows[i].env);
        rank_summary_begin(&s);
        assert_int_equal(launcher_find(&s, &err), 0);
        assert_string_equal(s.launcher, rows[i].launcher);
        assert_string_equal(s.job, rows[i].job);
        assert_string_equal(s.step, rows[i].step);
        assert_int_equal(s.rank, rows[i].rank);
        assert_int_equal((unsigned)s.ranks, rows[i].ranks);
        assert_int_equal((unsigned)s.local_rank, rows[i].local);
        assert_int_equal(s.restart, rows[i].restart);
    }
}

/* srun starts mpirun's daemon, or torchrun, whose rank is not that of the program. */
TEST_WITH(the_innermost_launcher_says_the_rank, forget, forget)
{
    static const char slurm[] = "SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_LOCALID=0 "
                                "SLURM_JOB_ID=77 SLURM_RESTART_COUNT=3";
    struct rank_summary s;
    struct error err = ERROR_INIT;
    put(slurm);
    put("RANK=5 WORLD_SIZE=8 LOCAL_RANK=1 TORCHELASTIC_RUN_ID=none");
    assert_int_equal(launcher_find(&s, &err), 0);
    assert_string_equal(s.launcher, "torchrun");
    assert_string_equal(s.job, "77"); /* torchrun has no name for it */
    assert_int_equal(s.rank, 5);
    assert_int_equal(s.requeue, 3);
    forget(NULL);
    put(slurm);
    put("OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=3");
    assert_int_equal(launcher_find(&s, &err), 0);
    assert_string_equal(s.launcher, "openmpi");
    assert_int_equal(s.rank, 3);
}

TEST_WITH(a_number_that_is_none_is_refused_by_its_name, forget, forget)
{
    static const struct {
        const char *env, *what;
    } rows[] = {
        {"RANK=x WORLD_SIZE=2", "RANK"},
        {"RANK=-1 WORLD_SIZE=2", "RANK"},
        {"RANK=99999999999999999999 WORLD_SIZE=2", "RANK"},
        {"RANK=2 WORLD_SIZE=2", "RANK"},
        {"RANK=0 WORLD_SIZE=1e3", "WORLD_SIZE"},
        {"WORLD_SIZE=2 LOCAL_RANK=1", "WORLD_SIZE"},
        {"TORCHELASTIC_RUN_ID=a WORLD_SIZE=2", "TORCHELASTIC_RUN_ID"},
        {"SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_RESTART_COUNT=no",
         "SLURM_RESTART_COUNT"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rank_summary s;
        struct error err = ERROR_INIT;
        forget(NULL);
        put(rows[i].env);
        assert_int_not_equal(launcher_find(&s, &err), 0);
        assert_int_equal(err.kind, ERROR_USAGE);
        assert_string_equal(err.what, rows[i].what);
    }
}
