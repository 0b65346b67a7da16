#include "symbols/symbols_impl.h"

#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"

enum { DYNAMIC_MAX = 4096, CONF_FILES = 64, CONF_LINES = 4096 };

/* --- libraries that an ELF file needs --- */

static const char *dynamic_text(Elf *elf, size_t strings, uint64_t at, struct arena *texts)
{
    const char *text = elf_strptr(elf, strings, (size_t)at);
    return text && *text ? arena_strndup(texts, text, strnlen(text, PATH_MAX)) : NULL;
}

static void take_dynamic(struct needed *out, Elf *elf, Elf_Scn *scn, struct arena *texts)
{
    GElf_Shdr h;
    Elf_Data *d = elf_getdata(scn, NULL);
    if (!d || !gelf_getshdr(scn, &h))
        return;
    for (int i = 0; i < DYNAMIC_MAX; i++) {
        GElf_Dyn dyn;
        if (!gelf_getdyn(d, i, &dyn) || dyn.d_tag == DT_NULL)
            return;
        if (dyn.d_tag != DT_NEEDED && dyn.d_tag != DT_RPATH && dyn.d_tag != DT_RUNPATH)
            continue;
        const char *text = dynamic_text(elf, h.sh_link, dyn.d_un.d_val, texts);
        if (dyn.d_tag == DT_RPATH)
            out->rpath = text;
        else if (dyn.d_tag == DT_RUNPATH)
            out->runpath = text;
        else if (text && out->n < NEEDED_MAX)
            out->names[out->n++] = text;
    }
}

static void take_interpreter(struct needed *out, Elf *elf, int fd, struct arena *texts)
{
    size_t n = 0;
    char path[256] = "";
    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n && i < 1024; i++) {
        GElf_Phdr h;
        if (!gelf_getphdr(elf, (int)i, &h) || h.p_type != PT_INTERP || h.p_filesz >= sizeof path)
            continue;
        if (pread(fd, path, (size_t)h.p_filesz, (off_t)h.p_offset) == (ssize_t)h.p_filesz &&
            path[0] == '/')
            out->interpreter = arena_strdup(texts, path);
        return;
    }
}

bool needed_read(struct needed *out, const char *path, struct arena *texts)
{
    struct stat st;
    GElf_Ehdr head;
    *out = (struct needed){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    elf_version(EV_CURRENT);
    bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    Elf *elf = regular ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    bool ok = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &head);
    if (ok) {
        GElf_Shdr h;
        out->class = head.e_ident[EI_CLASS];
        out->data = head.e_ident[EI_DATA];
        out->machine = head.e_machine;
        for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
            if (gelf_getshdr(scn, &h) && h.sh_type == SHT_DYNAMIC)
                take_dynamic(out, elf, scn, texts);
        take_interpreter(out, elf, fd, texts);
    }
    elf_end(elf);
    close(fd);
    return ok;
}

/* --- folders --- */

static void add_library_folder(struct library_folders *out, const char *path, struct arena *texts)
{
    if (out->n < LIBRARY_FOLDERS_MAX)
        out->list[out->n++] = arena_strdup(texts, path);
}

/* files: how many more files may be read, which ends a configuration that includes itself. */
static void read_conf(struct library_folders *out, const char *path, struct arena *texts,
                      int *files)
{
    char line[PATH_MAX];
    FILE *f = (*files)-- > 0 ? fopen(path, "re") : NULL;
    for (int left = CONF_LINES; f && left > 0 && fgets(line, sizeof line, f); left--) {
        line[strcspn(line, "#\n")] = '\0';
        char *text = line + strspn(line, " \t"), *include = text + strlen("include");
        if (strncmp(text, "include", 7) == 0 && (*include == ' ' || *include == '\t')) {
            char pattern[PATH_MAX];
            glob_t found = {0};
            include += strspn(include, " \t");
            const char *dir = *include == '/' ? "" : "/etc/";
            env_path(pattern, sizeof pattern, "%s%s", dir, include);
            if (glob(pattern, 0, NULL, &found) == 0)
                for (size_t i = 0; i < found.gl_pathc && i < LIBRARY_FOLDERS_MAX; i++)
                    read_conf(out, found.gl_pathv[i], texts, files);
            globfree(&found);
        } else if (*text == '/') {
            text[strcspn(text, " \t=")] = '\0';
            add_library_folder(out, text, texts);
        }
    }
    if (f)
        fclose(f);
}

void library_folders_read(struct library_folders *out, struct arena *texts)
{
    static const char *const usual[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
    char path[PATH_MAX];
    int files = CONF_FILES;
    out->n = 0;
    read_conf(out, env_path(path, sizeof path, "/etc/ld.so.conf"), texts, &files);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        add_library_folder(out, usual[i], texts);
}

/* --- the search --- */

static bool same_kind(const struct needed *of, const char *path)
{
    unsigned char head[20];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head, 0);
    if (fd >= 0)
        close(fd);
    if (n != sizeof head || memcmp(head, ELFMAG, SELFMAG) != 0)
        return false;
    unsigned short machine = of->data == ELFDATA2MSB ? (unsigned short)(head[18] << 8 | head[19])
                                                     : (unsigned short)(head[19] << 8 | head[18]);
    return head[EI_CLASS] == of->class && head[EI_DATA] == of->data && machine == of->machine;
}

static const char *try_folder(const struct needed *of, const char *folder, size_t n,
                              const char *name, struct arena *texts)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%.*s/%s", (int)n, folder, name) >= sizeof path)
        return NULL;
    return same_kind(of, path) ? arena_strdup(texts, path) : NULL;
}

/* Searches a colon-separated list of folders; $ORIGIN stands for the folder of the file that has
 * the list. */
static const char *try_list(const struct needed *of, const char *list, const char *from,
                            const char *name, struct arena *texts)
{
    const char *found = NULL, *slash = strrchr(from, '/');
    for (const char *p = list; p && *p && !found;) {
        char folder[PATH_MAX];
        size_t n = strcspn(p, ":"), skip = 0;
        if (n >= 7 && strncmp(p, "$ORIGIN", 7) == 0)
            skip = 7;
        else if (n >= 9 && strncmp(p, "${ORIGIN}", 9) == 0)
            skip = 9;
        size_t own = skip && slash ? (size_t)(slash - from) : 0;
        snprintf(folder, sizeof folder, "%.*s%s%.*s", (int)own, from, skip && !own ? "." : "",
                 (int)(n - skip), p + skip);
        if (*folder)
            found = try_folder(of, folder, strlen(folder), name, texts);
        p += n + (p[n] == ':');
    }
    return found;
}

const char *library_find(const struct library_folders *f, const struct needed *of, const char *from,
                         const char *name, struct arena *texts)
{
    if (strchr(name, '/'))
        return same_kind(of, name) ? arena_strdup(texts, name) : NULL;
    const char *found = of->runpath ? NULL : try_list(of, of->rpath, from, name, texts);
    if (!found)
        found = try_list(of, env_get("LD_LIBRARY_PATH"), from, name, texts);
    if (!found)
        found = try_list(of, of->runpath, from, name, texts);
    for (size_t i = 0; i < f->n && !found; i++)
        found = try_folder(of, f->list[i], strlen(f->list[i]), name, texts);
    return found;
}
