#include "fake.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const struct fake_dispatch fake_dispatches[FAKE_DISPATCHES] = {
    {1, 1, 1, 16, 1000, 1400}, {2, 2, 1, 64, 2000, 5000},  {3, 1, 1, 16, 5100, 5400},
    {4, 2, 2, 64, 5200, 9000}, {5, 2, 1, 128, 6000, 9900}, {6, 1, 2, 16, 10000, 10500},
};

double fake_counter(const char *name, int n)
{
    unsigned sum = 0;
    for (const char *p = name; *p; p++)
        sum = sum * 31 + (unsigned char)*p;
    return (double)(sum % 1000 + 1) * 10 + n;
}

void fake_profilers_link(const char *dir, const char *name)
{
    char self[4096], path[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        abort();
    self[n] = '\0';
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (symlink(self, path) != 0)
        abort();
}

bool fake_fault(const char *pass, const char *what)
{
    char wanted[256];
    const char *list = getenv("FAKE_FAULTS");
    snprintf(wanted, sizeof wanted, "%s:%s", pass, what);
    const char *at = list ? strstr(list, wanted) : NULL;
    return at && (at == list || at[-1] == ' ') &&
           (at[strlen(wanted)] == ' ' || at[strlen(wanted)] == '\0');
}

void fake_log(int argc, char **argv)
{
    const char *path = getenv("FAKE_LOG");
    FILE *f = path ? fopen(path, "a") : NULL;
    for (int i = 0; f && i < argc; i++)
        fprintf(f, "%s%s", argv[i], i + 1 < argc ? " " : "\n");
    if (f)
        fclose(f);
}

void fake_make_folders(const char *path)
{
    char part[4096];
    for (const char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            abort();
    }
}

static volatile sig_atomic_t child;

static void pass_on(int signo)
{
    if (child > 0)
        kill((pid_t)child, signo);
}

int fake_run(char **argv)
{
    int status = 0;
    struct sigaction sa = {.sa_handler = pass_on};
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        execvp(argv[0], argv);
        _exit(127);
    }
    while (waitpid((pid_t)child, &status, 0) < 0 && errno == EINTR)
        ;
    child = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool fake_profilers_main(int argc, char **argv, int *status)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    bool rocm = strcmp(name, "rocprofv3") == 0;
    if (!rocm && strcmp(name, "nsys") != 0)
        return false;
    *status = rocm ? fake_rocprofv3(argc, argv) : fake_nsys(argc, argv);
    fflush(stdout);
    return true;
}
