/* The source of hosts by name: a child (ssh or srun) a host, which runs rooftop there. */
#pragma once

#include "engine/fleet/fleet.h"

struct fleet_ssh_config {
    char *const *hosts; /* copied */
    size_t n;
    bool slurm;         /* through srun --overlap, in our allocation; else through ssh */
    double interval_s;  /* of samples */
    const char *remote; /* how rooftop is called there; NULL: "rooftop" */
};
/* *out is started by fleet_run_start, or ended by fleet_ssh_ops.stop. -errno with err: ssh or srun
 * is not installed. */
int fleet_ssh_open(struct fleet_source_of *out, const struct fleet_ssh_config *config,
                   struct error *err);

extern const struct fleet_source_ops fleet_ssh_ops;

/*
 * The words of the program that reaches a host, as the user types them; for the view, which opens a
 * host in rooftop's ordinary views. terminal: with a terminal there. Words end with NULL; the
 * caller frees them with fleet_words_free. control: the folder of the
 * connections that are shared, NULL: none is.
 */
char **fleet_command(const struct fleet_ssh_config *config, const char *host, const char *control,
                     bool terminal);
