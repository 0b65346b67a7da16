#include "engine/reproduce/device_build.h"

#include <string.h>

/* What happens to a word of the command. Source for options and their meaning: clang's command
 * line reference (clang 19). */
enum fate { DROPPED, DROPPED_WITH_NEXT, FOLDER, FOLDER_NEXT, KEPT, KEPT_WITH_NEXT };

static const struct flag_row {
    const char *name;
    bool prefix; /* name is the beginning of the word; else the whole word */
    enum fate fate;
} table[] = {
    /* outputs and passes */
    {"-c", false, DROPPED},
    {"-S", false, DROPPED},
    {"-E", false, DROPPED},
    {"--genco", false, DROPPED},
    {"-emit-llvm", false, DROPPED},
    {"-fsyntax-only", false, DROPPED},
    {"-o", false, DROPPED_WITH_NEXT},
    {"-MF", false, DROPPED_WITH_NEXT},
    {"-MT", false, DROPPED_WITH_NEXT},
    {"-MQ", false, DROPPED_WITH_NEXT},
    {"-M", true, DROPPED},
    {"-save-temps", true, DROPPED},
    {"--save-temps", true, DROPPED},
    /* which GPUs: only the captured one is compiled for */
    {"--offload-arch", true, DROPPED},
    {"--amdgpu-target", true, DROPPED},
    {"--cuda-gpu-arch", true, DROPPED},
    {"--offload-host-only", false, DROPPED},
    {"--offload-device-only", false, DROPPED},
    {"--cuda-host-only", false, DROPPED},
    {"--cuda-device-only", false, DROPPED},
    {"--gpu-bundle-output", false, DROPPED},
    {"--no-gpu-bundle-output", false, DROPPED},
    {"--offload-compress", false, DROPPED},
    {"-fgpu-rdc", false, DROPPED},
    {"-fno-gpu-rdc", false, DROPPED},
    {"--hip-link", false, DROPPED},
    {"-Xarch_host", false, DROPPED_WITH_NEXT},
    /* linking, and options for the host */
    {"-Wl,", true, DROPPED},
    {"-l", true, DROPPED},
    {"-L", true, DROPPED},
    {"-march=", true, DROPPED},
    {"-mtune=", true, DROPPED},
    {"-fsanitize", true, DROPPED},
    {"-x", false, DROPPED_WITH_NEXT},
    /* folders and files, whose paths change when the sources are copied */
    {"-isystem", false, FOLDER_NEXT},
    {"-iquote", false, FOLDER_NEXT},
    {"-idirafter", false, FOLDER_NEXT},
    {"-include", false, FOLDER_NEXT},
    {"-I", false, FOLDER_NEXT},
    {"-I", true, FOLDER},
    {"-isystem", true, FOLDER},
    {"-iquote", true, FOLDER},
    /* options of two words */
    {"-D", false, KEPT_WITH_NEXT},
    {"-U", false, KEPT_WITH_NEXT},
    {"-mllvm", false, KEPT_WITH_NEXT},
    {"-Xclang", false, KEPT_WITH_NEXT},
    {"-Xarch_device", false, KEPT_WITH_NEXT},
    {"-Xoffload-linker", false, KEPT_WITH_NEXT},
    {NULL, false, KEPT},
};

static const struct flag_row *flag_of(const char *word)
{
    const struct flag_row *r = table;
    while (r->name &&
           (r->prefix ? strncmp(word, r->name, strlen(r->name)) != 0 : strcmp(word, r->name) != 0))
        r++;
    return r;
}

static void keep_word(struct device_build *b, const char *word)
{
    b->words[b->n++] = (struct device_word){.flag = word};
}

static void keep_folder(struct device_build *b, const char *flag, const char *path, bool joined)
{
    b->words[b->n++] = (struct device_word){flag, path, joined};
}

/* Handles the word at i; returns the index of the next word to handle. */
static size_t take_build_word(struct device_build *b, const struct compile_command *c, size_t i,
                              struct arena *arena)
{
    const char *word = c->argv[i], *next = i + 1 < c->argc ? c->argv[i + 1] : NULL;
    const struct flag_row *r = flag_of(word);
    switch (r->fate) {
    case DROPPED:
        return i + 1;
    case DROPPED_WITH_NEXT:
        return i + 2;
    case FOLDER:
        keep_folder(b, r->name, path_plain(arena, c->directory, word + strlen(r->name)), true);
        return i + 1;
    case FOLDER_NEXT:
        if (next)
            keep_folder(b, word, path_plain(arena, c->directory, next), false);
        return i + 2;
    case KEPT_WITH_NEXT:
        keep_word(b, word);
        if (next)
            keep_word(b, next);
        return i + 2;
    case KEPT:
        break;
    }
    /* a word that is no option is a file to compile, which the Makefile names itself */
    if (word[0] == '-' && word[1])
        keep_word(b, word);
    b->optimises = b->optimises || strncmp(word, "-O", 2) == 0;
    return i + 1;
}

/* Whether the program runs the compiler, which is its next word. */
static bool is_launcher(const char *name)
{
    static const char *const names[] = {"ccache", "sccache", "distcc", "icecc"};
    const char *slash = strrchr(name, '/');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(slash ? slash + 1 : name, names[i]) == 0)
            return true;
    return false;
}

void device_build_of(struct device_build *out, const struct compile_command *command,
                     struct arena *arena)
{
    *out = (struct device_build){.compiler = "clang++"};
    if (!command)
        return;
    out->known = true;
    out->compiler = command->argv[0];
    out->words = arena_alloc(arena, (command->argc + 1) * sizeof *out->words);
    size_t i = 1;
    if (is_launcher(command->argv[0]) && command->argc > 1)
        out->compiler = command->argv[i++];
    while (i < command->argc)
        i = take_build_word(out, command, i, arena);
}

bool device_word_searches(const struct device_word *w)
{
    return w->path && strcmp(w->flag, "-include") != 0;
}
