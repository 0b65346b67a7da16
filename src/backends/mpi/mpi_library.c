#include "backends/mpi/mpi_library.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backends/common/own_library.h"
#include "base/arena.h"
#include "base/child.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/print.h"
#include "base/state_dir.h"
#include "symbols/objects.h"

#define LIBRARY  "librooftop-mpi-"
#define SOURCE   "mpi/record.c" /* one of the sources, by which they are found */
#define BUILD_NS (UINT64_C(120) * 1000000000)
static const char *const sources[] = {
    SOURCE,         "mpi/requests.c", "mpi/calls.c",        "mpi/one_sided.c",
    "mpi/record.h", "mpi/calls.h",    "format/mpi_record.h"};
enum { SOURCES = sizeof sources / sizeof *sources };
enum { SOURCE_MAX = 1 << 20, MESSAGES_MAX = 1 << 16 };

/* The build changes the folder. Links are kept: a wrapper knows by its name what it is to do. */
static int name_from_root(char path[PATH_MAX], struct error *err)
{
    char relative[PATH_MAX], folder[PATH_MAX];
    if (path[0] == '/')
        return 0;
    memcpy(relative, path, sizeof relative);
    if (getcwd(folder, sizeof folder) &&
        snprintf(path, PATH_MAX, "%s/%s", folder, relative) < PATH_MAX)
        return 0;
    return error_set(err, ERROR_UNSUPPORTED, ENAMETOOLONG, "name it by its whole path", "MPICC",
                     "the path of %.200s is not known", relative);
}

int mpi_compiler_find(const char *launcher, char out[PATH_MAX], struct error *err)
{
    const char *asked = env_get("MPICC"), *debian = NULL;
    if (strcmp(launcher, "openmpi") == 0)
        debian = "mpicc.openmpi";
    else if (strcmp(launcher, "hydra") == 0)
        debian = "mpicc.mpich";
    if (asked && child_look_up(asked, out, PATH_MAX) != 0)
        return error_set(err, ERROR_UNSUPPORTED, ENOENT, "name the mpicc of the program's MPI",
                         "MPICC", "it names %.200s, which is not there", asked);
    if (asked || (debian && child_look_up(debian, out, PATH_MAX) == 0) ||
        child_look_up("mpicc", out, PATH_MAX) == 0)
        return name_from_root(out, err);
    return error_set(err, ERROR_UNSUPPORTED, ENOENT,
                     "load the module of your MPI, or let MPICC name its mpicc (Debian: "
                     "libopenmpi-dev or libmpich-dev)",
                     "job --mpi",
                     "there is no mpicc, by which the library that records MPI is built");
}

/* --- what the library is kept by --- */

/* The text of a file of the source, into the hash. */
static int hash_source(uint64_t *hash, const char *folder, const char *name, struct error *err)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = xcalloc(1, SOURCE_MAX);
    const ssize_t n = fd < 0 ? -1 : read(fd, text, SOURCE_MAX);
    const int code = errno;
    if (fd >= 0)
        close(fd);
    if (n > 0)
        *hash = hash_bytes(*hash, text, (size_t)n);
    free(text);
    if (n > 0)
        return 0;
    return error_set(err, ERROR_UNSUPPORTED, code, "install rooftop again", path,
                     "it cannot be read: %s", n < 0 ? strerror(code) : "it is empty");
}

/* Which mpicc it is, and what it would run: an MPI that is installed anew changes one of these. */
static void hash_compiler(uint64_t *hash, const char *mpicc)
{
    char real[PATH_MAX];
    char *const show[] = {(char *)mpicc, "-show", NULL};
    char *text = NULL;
    struct stat st = {.st_size = 0};
    struct utsname machine;
    if (realpath(mpicc, real) && stat(real, &st) == 0)
        *hash = hash_text(*hash, real);
    *hash = hash_number(*hash, (uint64_t)st.st_size);
    *hash = hash_number(*hash, (uint64_t)st.st_mtime);
    *hash = hash_text(*hash, mpicc);
    if (uname(&machine) == 0)
        *hash = hash_text(*hash, machine.machine);
    if (child_run(show, BUILD_NS, MESSAGES_MAX, &text) == 0 && text)
        *hash = hash_text(*hash, text);
    free(text);
}

/* --- building it --- */

static int fail_to_build(const char *mpicc, const char *text, int rc, struct error *err)
{
    const char *what = text ? strstr(text, "error") : NULL;
    char line[300];
    if (!what && rc < 0)
        what = strerror(-rc);
    else if (!what)
        what = text && *text ? text : "it failed without a word";
    print_line(line, sizeof line, "%.*s", (int)strcspn(what, "\n"), what);
    return error_set(err, ERROR_UNSUPPORTED, EINVAL,
                     "the headers of MPI may be missing (Debian: libopenmpi-dev or libmpich-dev)",
                     mpicc, "it does not build the library that records MPI: %s", line);
}

/* Compiles to a name of its own, and renames that. */
static int build_mpi_library(const char *mpicc, const char *folder, const char *out,
                             struct error *err)
{
    static const char script[] =
        "cd \"$1\" && exec \"$2\" -std=gnu11 -O2 -shared -fPIC -fvisibility=hidden -I. -o \"$3\" "
        "mpi/record.c mpi/requests.c mpi/calls.c mpi/one_sided.c -ldl -lpthread 2>&1";
    char made[PATH_MAX + 32], *text = NULL;
    snprintf(made, sizeof made, "%s.%d", out, (int)getpid());
    char *const argv[] = {"/bin/sh",      "-c",          (char *)script, "sh",
                          (char *)folder, (char *)mpicc, made,           NULL};
    int rc = child_run(argv, BUILD_NS, MESSAGES_MAX, &text);
    if (rc != 0)
        rc = fail_to_build(mpicc, text, rc, err);
    else if (rename(made, out) != 0)
        rc = error_set(err, ERROR_OUTPUT, errno, NULL, out, "%s", strerror(errno));
    unlink(made);
    free(text);
    return rc;
}

/* One process builds; the others wait for the lock and find it built. */
static int build_alone(const char *mpicc, const char *folder, const char *out, struct error *err)
{
    char lock[PATH_MAX + 8];
    snprintf(lock, sizeof lock, "%s.lock", out);
    const int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_set(err, ERROR_OUTPUT, errno, NULL, lock, "%s", strerror(errno));
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        ;
    const int rc = access(out, R_OK) == 0 ? 0 : build_mpi_library(mpicc, folder, out, err);
    close(fd);
    return rc;
}

static int find_source_folder(char out[PATH_MAX], struct error *err)
{
    static const struct own_library source = {
        .name = "mpi/" SOURCE,
        .variable = "ROOFTOP_MPI_SOURCE",
        .what = "job --mpi",
        .help = "make install puts it there; ROOFTOP_MPI_SOURCE names another place",
    };
    const int rc = own_library_find(&source, out, err);
    for (int i = 0; i < 2 && rc == 0; i++) /* the file, and its folder */
        *strrchr(out, '/') = '\0';
    return rc;
}

int mpi_library_find(const char *mpicc, char out[PATH_MAX], struct error *err)
{
    char folder[PATH_MAX], state[PATH_MAX];
    uint64_t hash = 0;
    int rc = find_source_folder(folder, err);
    if (rc == 0)
        for (int i = 0; i < SOURCES && rc == 0; i++)
            rc = hash_source(&hash, folder, sources[i], err);
    if (rc != 0)
        return rc;
    hash_compiler(&hash, mpicc);
    if (!state_dir(state, sizeof state - 64, err))
        return error_set(err, ERROR_OUTPUT, ENOENT, "set XDG_STATE_HOME", "job --mpi",
                         "there is no folder to keep the library in that records MPI");
    strcat(state, "/mpi");
    rc = state_dir_make(state);
    if (rc != 0)
        return error_set(err, ERROR_OUTPUT, -rc, NULL, state, "%s", strerror(-rc));
    snprintf(out, PATH_MAX, "%s/" LIBRARY "%016" PRIx64 ".so", state, hash);
    if (strpbrk(out, " :"))
        return error_set(err, ERROR_UNSUPPORTED, EINVAL, "set XDG_STATE_HOME to another folder",
                         out, "LD_PRELOAD takes no path with a space or a colon");
    return access(out, R_OK) == 0 ? 0 : build_alone(mpicc, folder, out, err);
}

/* --- whether it is of the program's MPI --- */

/* The library of MPI that a program or library is linked with: "libmpi.so.40" of Open MPI,
 * "libmpich.so.12" or "libmpi.so.12" of MPICH. "": none is known. */
static void find_linked_mpi(const char *path, char out[64])
{
    static const char *const names[] = {"libmpi.so.", "libmpich.so."};
    struct objects *o = xcalloc(1, sizeof *o);
    struct error ignored = ERROR_INIT;
    out[0] = '\0';
    if (objects_of_program(o, path, &ignored) == 0)
        for (size_t i = 0; i < 2 * o->n && !out[0]; i++) {
            const char *whole = o->list[i / 2].name, *slash = strrchr(whole, '/');
            const char *name = slash ? slash + 1 : whole;
            if (strncmp(name, names[i % 2], strlen(names[i % 2])) == 0)
                snprintf(out, 64, "%s", name);
        }
    objects_free(o);
    free(o);
}

/* Libraries with the same number have the same binary interface: that of MPICH has several names.
 */
static bool same_interface(const char *a, const char *b)
{
    return strtoul(strstr(a, ".so.") + 4, NULL, 10) == strtoul(strstr(b, ".so.") + 4, NULL, 10);
}

int mpi_library_fits(const char *library, const char *mpicc, const char *command, struct error *err)
{
    char ours[64], theirs[64];
    find_linked_mpi(library, ours);
    find_linked_mpi(command, theirs);
    if (!ours[0] || !theirs[0] || same_interface(ours, theirs))
        return 0;
    return error_set(err, ERROR_UNSUPPORTED, EINVAL,
                     "let MPICC name the mpicc of the MPI that the program was built with", mpicc,
                     "it builds for another MPI than that of the program: %.200s is linked with "
                     "%s, not with %s",
                     command, theirs, ours);
}

/* A rooftop job around this one has put its own there, maybe of another MPI: it would write into
 * the folder of this one. */
static bool is_mpi_library(const char *path, size_t n)
{
    const char *slash = memrchr(path, '/', n);
    return slash && strncmp(slash + 1, LIBRARY, sizeof LIBRARY - 1) == 0;
}

void mpi_library_preload(const char *library)
{
    static const char between[] = " :"; /* ld.so(8) */
    const char *others = env_get("LD_PRELOAD");
    char *text = xstrdup(library ? library : "");
    for (size_t n; others && *others; others += n + strspn(others + n, between)) {
        char *longer;
        n = strcspn(others, between);
        if (n == 0 || is_mpi_library(others, n) ||
            asprintf(&longer, "%s%s%.*s", text, *text ? ":" : "", (int)n, others) < 0)
            continue;
        free(text);
        text = longer;
    }
    env_put("LD_PRELOAD", *text ? text : NULL);
    free(text);
}
