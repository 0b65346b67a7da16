/*
 * Simulated MPI jobs whose truth is known: ranks on hosts with clocks of their own compute and
 * exchange messages. What each rank would have recorded is written as src/mpi writes it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/job/job.h"

enum { MPI_SCENE_RANKS = 16, MPI_SCENE_HOSTS = 16 };

struct mpi_scene {
    /* what is asked for */
    uint32_t seed;
    int ranks, hosts, steps;
    int slow;       /* rank; -1: none */
    double slower;  /* it computes that many times as long */
    double compute; /* ns a step, of the others */
    double noise;   /* share of it by which each rank's time differs by chance */
    double wander;  /* that share goes up and down slowly, as where CPUs are busy; 0: it does not */
    double offset;  /* most ns by which clocks are apart */
    double drift;   /* most share by which they run faster or slower */
    double uneven;  /* ns by which clocks but the first go forth and back, each 20 ms */
    int cut;        /* this rank's records end in the middle; -1: none */
    bool one_way;   /* only messages from lower to higher ranks */
    double beside;  /* most ns that ranks compute between the begin of a collective and the wait for
                       it; 0: collectives wait at once */

    /* what is then known */
    double offset_of[MPI_SCENE_HOSTS], drift_of[MPI_SCENE_HOSTS];
    double waited[MPI_SCENE_RANKS]; /* ns, in true time */
    uint64_t messages, collectives;
    char folder[64]; /* with the files */
};

/* Runs the job, writes its files, and reads them as a job into *j. */
void mpi_scene_open(struct mpi_scene *s, struct job *j);
/* Frees the job and removes the files. */
void mpi_scene_close(struct mpi_scene *s, struct job *j);
/* The time on the host's clock at a true time. */
uint64_t mpi_scene_clock(const struct mpi_scene *s, int host, double at);
