/* How a call of MPI is defined. Included by the files that define some, and by no other. */
#pragma once

#include "mpi/record.h"

#include <dlfcn.h>
#include <string.h>

/* The library shows nothing else. */
#pragma GCC visibility push(default)

/*
 * Defines a call by both names. before and after are statements that see r, the record; after also
 * sees rc. The next library that defines it does the work: dlsym finds it before main().
 */
#define CALL_AS(name, row, parameters, arguments, before, after)                                   \
    static int(*next_##name) parameters;                                                           \
    __attribute__((constructor)) static void find_##name(void)                                     \
    {                                                                                              \
        void *at = dlsym(RTLD_NEXT, "PMPI_" #name);                                                \
        memcpy(&next_##name, &at, sizeof at);                                                      \
    }                                                                                              \
    int MPI_##name parameters;                                                                     \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        struct mpi_record r = mpi_record_begin(MPI_RECORD_##row);                                  \
        before;                                                                                    \
        const int rc = next_##name arguments;                                                      \
        after;                                                                                     \
        return mpi_record_end(&r, rc);                                                             \
    }                                                                                              \
    int PMPI_##name parameters __attribute__((alias("MPI_" #name)))
#define CALL(name, parameters, arguments, before, after)                                           \
    CALL_AS(name, name, parameters, arguments, before, after)
#define NOTHING (void)0
