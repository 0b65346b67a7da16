/* What the files about a job's folder share. */
#pragma once

#include "engine/job/job_folder.h"

/* Adds a sentence; after JOB_NOTES of them, a last one says that some are left out. */
enum { JOB_NOTES = 32 };
void job_folder_note(struct job_folder *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* job_run.c. Chooses the run that is shown among all members, which it takes over, and tells what
 * is left out, missing, ended early or of another build. */
void job_folder_choose(struct job_folder *f, struct job_member *all, uint32_t n);
/* job_slow.c. */
void job_folder_judge(struct job_folder *f);
/* job_slow_mpi.c. The index of the member with this number; JOB_NONE. */
uint32_t job_folder_find_number(const struct job_folder *f, uint32_t number);
/* Makes the verdict that of the ranks' calls of MPI, where these say more. After job_finish. */
struct job;
void job_folder_judge_waits(struct job_folder *f, const struct job *j);
/* job_live.c. Judges by the last collectives of the ranks, where a plugin recorded them. After
 * job_folder_judge. */
void job_folder_judge_collectives(struct job_folder *f);

/* job_slow.c. Time for which a rank waited for a CPU; whether ranks waited for others by asking
 * again and again. */
double job_cpu_wait(const struct job_member *m);
bool job_is_polling(const struct job_folder *f);
/* Whether the rank that is called slow ended so much later than the others. */
bool job_ended_later(const struct job_folder *f);
/* Says why the rank that slow.rank names needs so many seconds more than the others, if its summary
 * explains half of them. false: it may be chance, as all wait so long for a CPU. */
bool job_say_why(struct job_folder *f, double seconds);
/* job_slow_why.c. Why: by its own work or states; by what ran on its CPUs. */
void job_explain_own_work(struct job_folder *f);
void job_explain_cpu_wait(struct job_folder *f);
/* The sentences of the rank that did more itself, waited longer for a CPU, ended
 * later. The last one may find that it is not clear. */
void job_say_own_work(struct job_folder *f);
void job_say_held_up(struct job_folder *f);
void job_say_late(struct job_folder *f);
