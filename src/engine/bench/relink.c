#include "engine/bench/relink.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/list.h"

struct words {
    char *text;  /* owned; the words are in it */
    char **word; /* ends with NULL */
    size_t n, cap;
    size_t *object; /* the places of objects */
    size_t nobjects, object_cap;
};

static bool is_object(const char *word)
{
    size_t n = strlen(word);
    return n > 2 && strcmp(word + n - 2, ".o") == 0;
}

static void split_words(struct words *w, const char *command)
{
    char *state = NULL;
    *w = (struct words){.text = xstrdup(command)};
    for (char *word = strtok_r(w->text, " \t\n", &state); word;
         word = strtok_r(NULL, " \t\n", &state)) {
        LIST_ROOM(w->word, w->n, w->cap);
        LIST_ROOM(w->object, w->nobjects, w->object_cap);
        if (is_object(word) && w->n > 0 && strcmp(w->word[w->n - 1], "-o") != 0)
            w->object[w->nobjects++] = w->n;
        w->word[w->n++] = word;
    }
    LIST_ROOM(w->word, w->n, w->cap);
    w->word[w->n] = NULL;
}

static void free_words(struct words *w)
{
    free(w->text);
    free(w->word);
    free(w->object);
}

/* A number below n, each as likely as the others. */
static size_t draw_index_below(size_t n)
{
    uint64_t x, limit = UINT64_MAX - UINT64_MAX % n;
    do
        env_random(&x, sizeof x);
    while (x >= limit);
    return (size_t)(x % n);
}

/* R. Durstenfeld, "Algorithm 235: Random permutation", Comm. ACM 7, 1964. */
static void shuffle_objects(struct words *w)
{
    for (size_t i = w->nobjects; i > 1; i--) {
        size_t a = w->object[i - 1], b = w->object[draw_index_below(i)];
        char *word = w->word[a];
        w->word[a] = w->word[b];
        w->word[b] = word;
    }
}

int relink_check(const char *command, struct error *err)
{
    struct words w;
    split_words(&w, command);
    size_t n = w.nobjects;
    free_words(&w);
    return n >= 2 ? 0
                  : error_set(err, ERROR_USAGE, EINVAL, "such as --relink 'cc -o prog a.o b.o'",
                              "--relink", "it needs two words that end in .o");
}

int relink_run(const char *command, const struct runner_ops *with, struct error *err)
{
    struct words w;
    split_words(&w, command);
    shuffle_objects(&w);
    int rc = with->run_unmeasured(w.word, err);
    free_words(&w);
    return rc;
}
