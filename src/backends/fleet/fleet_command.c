/* The words of ssh and srun. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/fleet/fleet_ssh.h"
#include "base/child.h"
#include "base/env.h"
#include "base/list.h"

struct words {
    char **list;
    size_t n, cap;
};

static void add_word(struct words *w, const char *text)
{
    LIST_ADD(w->list, w->n, w->cap, xstrdup(text));
}

__attribute__((format(printf, 2, 3))) static void add_made_word(struct words *w, const char *fmt,
                                                                ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    add_word(w, text);
}

/* The program: what the variable says, cut at blanks as git and rsync cut theirs, or its name. */
static void add_program(struct words *w, const char *variable, const char *name)
{
    const char *said = env_get(variable);
    char path[4096], *text = xstrdup(said ? said : name), *rest = NULL;
    for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        const bool first = w->n == 0;
        if (first && child_look_up(word, path, sizeof path) == 0)
            add_word(w, path);
        else
            add_word(w, word);
    }
    if (w->n == 0)
        add_word(w, name);
    free(text);
}

/* Later words of a user's ROOFTOP_SSH do not count again: of an option given twice ssh takes the
 * first. So "ssh -o ControlPath=..." in it wins over ours. */
static void add_ssh(struct words *w, const char *control, bool terminal)
{
    add_program(w, "ROOFTOP_SSH", "ssh");
    if (!terminal)
        add_word(w, "-oBatchMode=yes");
    add_word(w, "-oConnectTimeout=10");
    add_word(w, "-oServerAliveInterval=5");
    add_word(w, "-oServerAliveCountMax=2");
    if (control) {
        add_word(w, "-oControlMaster=auto");
        add_word(w, "-oControlPersist=no");
        add_made_word(w, "-oControlPath=%s/%%C", control);
    }
    add_word(w, terminal ? "-t" : "-T");
}

static void add_srun(struct words *w, const char *host, bool terminal)
{
    add_program(w, "ROOFTOP_SRUN", "srun");
    add_word(w, "--overlap");
    add_word(w, "--nodes=1");
    add_word(w, "--ntasks=1");
    add_word(w, "--quiet");
    add_word(w, terminal ? "--pty" : "--input=none");
    add_made_word(w, "--nodelist=%s", host);
}

char **fleet_command(const struct fleet_ssh_config *config, const char *host, const char *control,
                     bool terminal)
{
    struct words w = {.n = 0};
    if (config->slurm) {
        add_srun(&w, host, terminal);
    } else {
        add_ssh(&w, control, terminal);
        add_word(&w, "--");
        add_word(&w, host);
    }
    add_word(&w, config->remote ? config->remote : "rooftop");
    if (!terminal) {
        add_word(&w, "--headless");
        add_word(&w, "--format=jsonl");
        add_word(&w, "--only=host");
        add_word(&w, "--frames=1000000000");
        add_made_word(&w, "--interval=%g", config->interval_s);
    }
    LIST_ADD(w.list, w.n, w.cap, NULL);
    return w.list;
}
