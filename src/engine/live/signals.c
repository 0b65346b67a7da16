#include "engine/live/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* Source: signal(7), "Standard signals". */
const struct signal_info signal_table[] = {
    {SIGTERM, "TERM", "asks it to end; it may clean up first"},
    {SIGKILL, "KILL", "ends it at once; nothing is saved"},
    {SIGINT, "INT", "as ^C in its terminal"},
    {SIGHUP, "HUP", "its terminal is gone; daemons read their configuration again"},
    {SIGQUIT, "QUIT", "as ^\\ in its terminal: ends it with a core dump"},
    {SIGSTOP, "STOP", "stops it until CONT"},
    {SIGCONT, "CONT", "lets it go on"},
    {SIGTSTP, "TSTP", "as ^Z in its terminal: asks it to stop"},
    {SIGUSR1, "USR1", "what the program makes of it; else ends it"},
    {SIGUSR2, "USR2", "what the program makes of it; else ends it"},
    {SIGABRT, "ABRT", "ends it with a core dump"},
    {SIGALRM, "ALRM", "its alarm; else ends it"},
    {SIGBUS, "BUS", "as a bad memory access: ends it with a core dump"},
    {SIGCHLD, "CHLD", "a child ended; else nothing"},
    {SIGFPE, "FPE", "as a bad calculation: ends it with a core dump"},
    {SIGILL, "ILL", "as a bad instruction: ends it with a core dump"},
    {SIGIO, "IO", "input or output is possible; else ends it"},
    {SIGPIPE, "PIPE", "no process reads its pipe; else ends it"},
    {SIGPROF, "PROF", "its profiling timer; else ends it"},
    {SIGPWR, "PWR", "power fails; else ends it"},
    {SIGSEGV, "SEGV", "as a bad address: ends it with a core dump"},
    {SIGSYS, "SYS", "as a bad system call: ends it with a core dump"},
    {SIGTRAP, "TRAP", "as a breakpoint: ends it with a core dump"},
    {SIGTTIN, "TTIN", "as reading its terminal in the background: stops it"},
    {SIGTTOU, "TTOU", "as writing to it in the background: stops it"},
    {SIGURG, "URG", "urgent data; else nothing"},
    {SIGVTALRM, "VTALRM", "its timer of CPU time; else ends it"},
    {SIGWINCH, "WINCH", "its window has another size; else nothing"},
    {SIGXCPU, "XCPU", "its CPU limit is reached: ends it with a core dump"},
    {SIGXFSZ, "XFSZ", "its file limit is reached: ends it with a core dump"},
    {0, NULL, NULL},
};

const char *signal_name(int number, char out[SIGNAL_NAME_MAX])
{
    for (const struct signal_info *s = signal_table; s->name; s++)
        if (s->number == number) {
            snprintf(out, SIGNAL_NAME_MAX, "SIG%s", s->name);
            return out;
        }
    if (number >= SIGRTMIN && number <= SIGRTMAX)
        snprintf(out, SIGNAL_NAME_MAX, "SIGRTMIN+%d", number - SIGRTMIN);
    else
        snprintf(out, SIGNAL_NAME_MAX, "signal %d", number);
    return out;
}

int signal_number(const char *name)
{
    char *end;
    if (strncasecmp(name, "SIG", 3) == 0)
        name += 3;
    for (const struct signal_info *s = signal_table; s->name; s++)
        if (strcasecmp(s->name, name) == 0)
            return s->number;
    int base = strncasecmp(name, "RTMIN+", 6) == 0 ? SIGRTMIN : 0;
    if (base)
        name += 6;
    if (*name < '0' || *name > '9')
        return 0;
    long v = strtol(name, &end, 10);
    bool fits = *end == '\0' && v <= SIGRTMAX && base + v >= 1 && base + v <= SIGRTMAX;
    return fits ? base + (int)v : 0;
}
