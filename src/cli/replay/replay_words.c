#include "cli/replay/replay.h"

#include <string.h>

enum { BEYOND_A_LAUNCH_S = 15, REPLAY_TIMEOUT_S = 60 };

double replay_timeout(const struct options *o)
{
    return o->timeout_s > 0 ? o->timeout_s : REPLAY_TIMEOUT_S;
}

double replay_patience(const struct options *o)
{
    return replay_timeout(o) + BEYOND_A_LAUNCH_S;
}

struct word_list {
    struct replay_words *w;
    const struct command *command;
    size_t n, nnumbers;
};

static void add_replay_word(struct word_list *l, const char *word)
{
    if (word && l->n + 1 < REPLAY_WORDS)
        l->w->argv[l->n++] = (char *)word; /* exec takes char **, but does not write to it */
}

static bool takes_option(const struct word_list *l, const char *option)
{
    return command_option_find(l->command, option + 2, 0) >= 0;
}

static void add_flag(struct word_list *l, const char *option, bool set)
{
    if (set && takes_option(l, option))
        add_replay_word(l, option);
}

static void add_replay_value(struct word_list *l, const char *option, const char *value)
{
    if (!value || !takes_option(l, option))
        return;
    add_replay_word(l, option);
    add_replay_word(l, value);
}

static void add_replay_number(struct word_list *l, const char *option, double value)
{
    char *text = l->w->numbers[l->nnumbers++];
    snprintf(text, sizeof *l->w->numbers, "%.15g", value);
    add_replay_value(l, option, text);
}

void replay_words_make(struct replay_words *w, const struct options *o,
                       const struct command *command, const char *const *code, size_t ncode)
{
    struct word_list l = {.w = w, .command = command};
    *w = (struct replay_words){0};
    add_replay_word(&l, "rooftop");
    add_replay_word(&l, "replay");
    add_replay_word(&l, strchr(command->name, ' ') + 1);
    add_replay_word(&l, "--in-process");
    add_replay_word(&l, "--no-config");
    add_replay_value(&l, "--capture-dir", o->replay.capture_dir);
    add_replay_number(&l, "--iterations", (double)o->replay.iterations);
    add_replay_number(&l, "--warmup", (double)o->replay.warmup);
    add_replay_number(&l, "--agent", (double)o->replay.agent);
    add_replay_number(&l, "--timeout", replay_timeout(o));
    add_replay_value(&l, "--tolerance", o->replay.tolerance);
    add_flag(&l, "--no-recopy", o->replay.no_recopy);
    add_flag(&l, "--verify", o->replay.verify);
    if (!code)
        add_replay_value(&l, "--hsaco", o->replay.hsaco);
    for (size_t i = 0; code && i < ncode; i++)
        add_replay_word(&l, code[i] ? code[i] : "captured");
}
