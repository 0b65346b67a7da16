#include "cli/replay/replay.h"

enum { BEYOND_A_LAUNCH_S = 15, REPLAY_TIMEOUT_S = 60 };

double replay_timeout(const struct options *o)
{
    return o->timeout_s > 0 ? o->timeout_s : REPLAY_TIMEOUT_S;
}

double replay_patience(const struct options *o)
{
    return replay_timeout(o) + BEYOND_A_LAUNCH_S;
}

struct list {
    struct replay_words *w;
    size_t n;
};

static void add(struct list *l, const char *word)
{
    if (word && l->n + 1 < REPLAY_WORDS)
        l->w->argv[l->n++] = (char *)word; /* exec does not write there */
}

static void add_two(struct list *l, const char *name, const char *value)
{
    if (!value)
        return;
    add(l, name);
    add(l, value);
}

static void add_number(struct list *l, const char *name, int slot, double value)
{
    snprintf(l->w->numbers[slot], sizeof l->w->numbers[slot], "%.15g", value);
    add_two(l, name, l->w->numbers[slot]);
}

void replay_words_make(struct replay_words *w, const struct options *o, const char *sub,
                       const char *const *code, size_t ncode)
{
    struct list l = {w, 0};
    *w = (struct replay_words){0};
    add(&l, "rooftop");
    add_two(&l, "replay", sub);
    add_two(&l, "--in-process", "--no-config");
    add_two(&l, "--capture-dir", o->replay.capture_dir);
    add_number(&l, "--iterations", 0, (double)o->replay.iterations);
    add_number(&l, "--warmup", 1, (double)o->replay.warmup);
    add_number(&l, "--agent", 2, (double)o->replay.agent);
    add_number(&l, "--timeout", 3, replay_timeout(o));
    add_two(&l, "--tolerance", o->replay.tolerance);
    if (o->replay.no_recopy)
        add(&l, "--no-recopy");
    if (o->replay.verify)
        add(&l, "--verify");
    if (!code)
        add_two(&l, "--hsaco", o->replay.hsaco);
    for (size_t i = 0; code && i < ncode; i++)
        add(&l, code[i] ? code[i] : "captured");
}
