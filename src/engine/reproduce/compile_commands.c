#include "engine/reproduce/compile_commands.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ENTRIES_MAX = 1 << 20, WORDS_MAX = 1 << 16 };
#define BYTES_MAX ((size_t)512 << 20)

/* --- paths and words --- */

const char *path_plain(struct arena *arena, const char *directory, const char *path)
{
    char *text =
        path[0] == '/' ? arena_strdup(arena, path) : arena_printf(arena, "/%s/%s", directory, path);
    char *to = text;
    for (const char *p = text; *p;) {
        const size_t n = strcspn(p, "/");
        const char *next = p + n + (p[n] == '/');
        if (n == 2 && p[0] == '.' && p[1] == '.') {
            while (to > text && *--to != '/')
                ;
        } else if (n > 0 && !(n == 1 && p[0] == '.')) {
            *to++ = '/'; /* `to` cannot overtake p: a component has a slash before it, or is the
                            first */
            memmove(to, p, n);
            to += n;
        }
        p = next;
    }
    if (to == text)
        *to++ = '/';
    *to = '\0';
    return text;
}

/* Appends one word of the line to *to; returns where it ends. */
static const char *take_shell_word(const char *p, char **to)
{
    char quote = 0;
    for (; *p && (quote || !strchr(" \t\n\r", *p)); p++) {
        const bool escapes =
            *p == '\\' && p[1] && (!quote || (quote == '"' && strchr("\"\\$`", p[1])));
        if (escapes)
            *(*to)++ = *++p;
        else if (quote && *p == quote)
            quote = 0;
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else
            *(*to)++ = *p;
    }
    *(*to)++ = '\0';
    return p;
}

const char **shell_split(struct arena *arena, const char *line, size_t *argc)
{
    const size_t most = strlen(line) / 2 + 2;
    const char **argv = arena_alloc(arena, (most + 1) * sizeof *argv);
    char *to = arena_alloc(arena, strlen(line) + most + 1);
    *argc = 0;
    for (const char *p = line;;) {
        p += strspn(p, " \t\n\r");
        if (!*p || *argc == WORDS_MAX)
            break;
        argv[(*argc)++] = to;
        p = take_shell_word(p, &to);
    }
    argv[*argc] = NULL;
    return argv;
}

/* --- the file --- */

static int refuse_commands(struct error *err, const char *path, const char *why)
{
    return error_set(err, ERROR_INPUT, EINVAL,
                     "CMake writes one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON", path, "%s", why);
}

static int read_commands_file(const char *path, char **text, size_t *n, struct error *err)
{
    struct stat st;
    FILE *f = fopen(path, "re");
    if (!f || fstat(fileno(f), &st) != 0) {
        const int code = errno;
        if (f)
            fclose(f);
        return error_set(err, ERROR_INPUT, code, NULL, path, "%s", strerror(code));
    }
    const bool fits = S_ISREG(st.st_mode) && (size_t)st.st_size < BYTES_MAX;
    *text = xcalloc(fits ? (size_t)st.st_size + 1 : 1, 1);
    *n = fits ? fread(*text, 1, (size_t)st.st_size, f) : 0;
    fclose(f);
    if (fits)
        return 0;
    free(*text);
    *text = NULL;
    return refuse_commands(err, path, "not a regular file of less than 512 MiB");
}

static const char *text_of_json_member(const cJSON *o, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
}

static const char **read_command_words(struct arena *arena, const cJSON *entry, size_t *argc)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(entry, "arguments"), *word;
    const char *command = text_of_json_member(entry, "command");
    *argc = 0;
    if (!cJSON_IsArray(list))
        return command ? shell_split(arena, command, argc) : NULL;
    const char **argv = arena_alloc(arena, ((size_t)cJSON_GetArraySize(list) + 1) * sizeof *argv);
    cJSON_ArrayForEach(word, list)
    {
        if (cJSON_IsString(word) && *argc < WORDS_MAX)
            argv[(*argc)++] = arena_strdup(arena, word->valuestring);
    }
    argv[*argc] = NULL;
    return argv;
}

/* The directory of the JSON file, for an entry without "directory". */
static const char *find_commands_folder(struct arena *arena, const char *path)
{
    char *real = realpath(path, NULL);
    char *slash = real ? strrchr(real, '/') : NULL;
    const char *out = slash ? arena_strndup(arena, real, (size_t)(slash - real)) : "";
    free(real);
    return out;
}

static int take_entries(struct compile_commands *c, const cJSON *root, const char *path,
                        struct error *err)
{
    const cJSON *entry;
    char why[96];
    const size_t n = (size_t)cJSON_GetArraySize(root);
    const char *here = find_commands_folder(&c->arena, path);
    c->all = arena_alloc(&c->arena, (n < ENTRIES_MAX ? n : ENTRIES_MAX) * sizeof *c->all + 1);
    cJSON_ArrayForEach(entry, root)
    {
        struct compile_command *to = &c->all[c->n];
        const char *file = text_of_json_member(entry, "file"),
                   *directory = text_of_json_member(entry, "directory");
        if (c->n == ENTRIES_MAX)
            break;
        snprintf(why, sizeof why, "entry %zu has no \"file\", or no \"arguments\" or \"command\"",
                 c->n);
        *to = (struct compile_command){
            .directory = path_plain(&c->arena, here, directory ? directory : ".")};
        to->argv = read_command_words(&c->arena, entry, &to->argc);
        if (!file || !*file || !to->argv || to->argc == 0)
            return refuse_commands(err, path, why);
        to->file = path_plain(&c->arena, to->directory, file);
        c->n++;
    }
    return 0;
}

int compile_commands_read(struct compile_commands **out, const char *path, struct error *err)
{
    char *text = NULL;
    size_t n = 0;
    *out = NULL;
    int rc = read_commands_file(path, &text, &n, err);
    if (rc != 0 || !text)
        return rc;
    struct compile_commands *c = xcalloc(1, sizeof *c);
    cJSON *root = cJSON_ParseWithLength(text, n);
    if (cJSON_IsArray(root))
        rc = take_entries(c, root, path, err);
    else
        rc = refuse_commands(err, path, root ? "not a list of commands" : "not JSON");
    cJSON_Delete(root);
    free(text);
    if (rc == 0)
        *out = c;
    else
        compile_commands_free(c);
    return rc;
}

void compile_commands_free(struct compile_commands *c)
{
    if (!c)
        return;
    arena_free(&c->arena);
    free(c);
}

/* --- looking --- */

static bool is_for_gpu(const struct compile_command *c)
{
    if (strstr(c->argv[0], "hipcc"))
        return true;
    for (size_t i = 1; i < c->argc; i++)
        if (strncmp(c->argv[i], "--offload-", 10) == 0 || strcmp(c->argv[i], "hip") == 0 ||
            strncmp(c->argv[i], "--cuda-", 7) == 0)
            return true;
    return false;
}

const struct compile_command *compile_commands_find(const struct compile_commands *c,
                                                    const char *file)
{
    const struct compile_command *found = NULL;
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->all[i].file, file) == 0 &&
            (!found || (!is_for_gpu(found) && is_for_gpu(&c->all[i]))))
            found = &c->all[i];
    return found;
}
