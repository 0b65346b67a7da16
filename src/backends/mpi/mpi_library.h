/*
 * The library that records the calls of MPI programs. Its source comes with rooftop; the site's own
 * mpicc compiles it when it is first needed, because the binary interfaces of MPI implementations
 * differ. It is kept in the user's state folder, one for each mpicc, each version of it and of the
 * source.
 */
#pragma once

#include <limits.h>

#include "base/error.h"

/*
 * Finds the mpicc: MPICC in the environment; else mpicc.openmpi or mpicc.mpich by the launcher
 * ("openmpi", "hydra", or another word), which Debian has; else mpicc in PATH. 0 or -errno with
 * err.
 */
int mpi_compiler_find(const char *launcher, char out[PATH_MAX], struct error *err);
/* Finds the library for that mpicc, and builds it if it is not there. Of several processes at the
 * same time one builds, and the others wait. 0 with its path in out, or -errno with err. */
int mpi_library_find(const char *mpicc, char out[PATH_MAX], struct error *err);
/* Refuses a library that was built for another MPI than the one that the program is linked with:
 * the program would crash. A program of which that is not seen, as a script, is not refused. */
int mpi_library_fits(const char *library, const char *mpicc, const char *command,
                     struct error *err);
/* Puts the library into the environment of programs that are started from now on; NULL: none. One
 * of another job around this one is taken away. */
void mpi_library_preload(const char *library);
