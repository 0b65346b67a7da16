/*
 * A file: six lines of text, an empty line, and the message as it is sent. The lines are
 *     rooftop-otlp 1
 *     url ADDRESS
 *     protocol NAME
 *     spans NUMBER
 *     bytes NUMBER
 *     hash NUMBER (XXH3, hexadecimal, of the message)
 */
#include "export/delivery/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/env.h"
#include "base/list.h"
#include "base/order.h"
#include "base/owner.h"
#include "base/print.h"
#include "base/state_dir.h"

#define MAGIC "rooftop-otlp 1\n"
static const char ending[] = ".otlp", fresh[] = ".new", bad[] = ".damaged";
enum { HEAD = ENDPOINT_URL + 256 };

/* --- the folder --- */

static void write_spool_path(const struct spool *s, const char *name, const char *end,
                             char out[SPOOL_PATH])
{
    snprintf(out, SPOOL_PATH, "%.*s/%s%s", SPOOL_PATH - SPOOL_NAME - 16, s->folder, name, end);
}

static void forget_spool_names(struct spool *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->names[i]);
    s->n = s->at = 0;
}

/* Whether name has the form TIME-PID-NUMBER of spool_add. The folder may have other files too. */
static bool is_spool_name(const char *name, const char *with)
{
    static const size_t least[] = {20, 7, 8}; /* least number of digits */
    for (int i = 0; i < 3; i++) {
        const size_t n = strspn(name, "0123456789");
        if (n < least[i] || (i < 2 && name[n] != '-'))
            return false;
        name += i < 2 ? n + 1 : n;
    }
    return strcmp(name, with) == 0;
}

/* Removes the file of a process that was killed while it wrote. A process that writes has a lock on
 * its file, except for a moment after it created it. */
static void remove_stale(const struct spool *s, const char *name)
{
    enum { STALE_S = 60 };
    char path[SPOOL_PATH];
    struct stat st;
    write_spool_path(s, name, "", path);
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &st) == 0 &&
        (uint64_t)st.st_mtime + STALE_S < env_wall_ns() / 1000000000u &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlink(path);
    if (fd >= 0)
        close(fd);
}

void spool_look(struct spool *s)
{
    DIR *dir = opendir(s->folder);
    const struct dirent *e;
    forget_spool_names(s);
    s->used = 0;
    while (dir && (e = readdir(dir))) {
        struct stat st;
        if (is_spool_name(e->d_name, fresh))
            remove_stale(s, e->d_name);
        if (!is_spool_name(e->d_name, ending) || strlen(e->d_name) >= SPOOL_NAME ||
            fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        s->used += (uint64_t)st.st_size;
        LIST_ADD(s->names, s->n, s->cap, xstrdup(e->d_name));
    }
    if (dir)
        closedir(dir);
    if (s->n)
        qsort(s->names, s->n, sizeof *s->names, order_texts);
}

static int make_spool_folder(struct spool *s, const char *given, struct error *err)
{
    char state[SPOOL_PATH - 128];
    struct stat st;
    static const char help[] = "name a folder of your own with --otlp-spool";
    *err = (struct error)ERROR_INIT;
    if (!given && !state_dir(state, sizeof state, err))
        return err->kind != ERROR_NONE
                   ? -EPERM
                   : error_set(err, ERROR_OUTPUT, ENOENT, help, "keep spans until they are sent",
                               "there is no home folder");
    int n = given ? snprintf(s->folder, sizeof s->folder, "%s", given)
                  : snprintf(s->folder, sizeof s->folder, "%s/otlp", state);
    if (n < 0 || n >= SPOOL_PATH - 128)
        return error_set(err, ERROR_USAGE, ENAMETOOLONG, help, "the spool", "its path is too long");
    int rc = state_dir_make(s->folder);
    if (rc == 0 && stat(s->folder, &st) != 0)
        rc = -errno;
    if (rc == 0 && !S_ISDIR(st.st_mode))
        rc = -ENOTDIR;
    if (rc != 0)
        return error_set(err, ERROR_OUTPUT, -rc, help, s->folder, "%s", strerror(-rc));
    const char *why = owner_refuses(&st, geteuid());
    return why ? error_set(err, ERROR_PERMISSION, EPERM, help, s->folder, "%s", why) : 0;
}

int spool_open(struct spool *s, const char *folder, uint64_t limit, struct error *err)
{
    *s = (struct spool){.limit = limit};
    const int rc = make_spool_folder(s, folder, err);
    if (rc == 0)
        spool_look(s);
    return rc;
}

void spool_close(struct spool *s)
{
    forget_spool_names(s);
    free(s->names);
    *s = (struct spool){0};
}

/* --- adding --- */

static int write_spool_bytes(int fd, const void *data, size_t n)
{
    for (const char *p = data; n;) {
        const ssize_t got = write(fd, p, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        p += got;
        n -= (size_t)got;
    }
    return 0;
}

static size_t make_head(char head[HEAD], const struct endpoint *to, uint32_t spans, size_t bytes,
                        uint64_t hash)
{
    return print_line(head, HEAD,
                      MAGIC "url %s\nprotocol %s\nspans %" PRIu32 "\nbytes %zu\nhash %016" PRIx64
                            "\n\n",
                      to->url, endpoint_protocol_name(to->protocol), spans, bytes, hash);
}

static uint64_t hash_parts(const void *const part[SPOOL_PARTS], const size_t size[SPOOL_PARTS])
{
    XXH3_state_t *state = XXH3_createState();
    XXH3_64bits_reset(state);
    for (size_t i = 0; i < SPOOL_PARTS; i++)
        XXH3_64bits_update(state, part[i], size[i]);
    const uint64_t hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return hash;
}

static int fail_write(const struct spool *s, int code, struct error *err)
{
    return error_set(err, ERROR_OUTPUT, code, "make room, or name another folder with --otlp-spool",
                     s->folder, "%s", strerror(code));
}

int spool_add(struct spool *s, const struct endpoint *to, const void *const part[SPOOL_PARTS],
              const size_t size[SPOOL_PARTS], uint32_t spans, struct error *err)
{
    char name[SPOOL_NAME], path[SPOOL_PATH], final[SPOOL_PATH], head[HEAD];
    const size_t bytes = size[0] + size[1] + size[2];
    const size_t nhead = make_head(head, to, spans, bytes, hash_parts(part, size));
    if (s->used + nhead + bytes > s->limit)
        spool_look(s); /* other processes may have sent some */
    if (s->used + nhead + bytes > s->limit)
        return error_set(err, ERROR_OUTPUT, ENOSPC,
                         "send them with rooftop export otlp, or allow more with --otlp-spool-size",
                         s->folder, "the spool is full");
    snprintf(name, sizeof name, "%020" PRIu64 "-%07d-%08" PRIu64, env_wall_ns(), (int)getpid(),
             s->next++ % 100000000);
    write_spool_path(s, name, fresh, path);
    write_spool_path(s, name, ending, final);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_write(s, errno, err);
    flock(fd, LOCK_EX); /* so that no process takes it for a killed one's file */
    int rc = write_spool_bytes(fd, head, nhead);
    for (size_t i = 0; i < SPOOL_PARTS && rc == 0; i++)
        rc = write_spool_bytes(fd, part[i], size[i]);
    if (rc == 0 && rename(path, final) != 0)
        rc = -errno;
    if (rc != 0)
        unlink(path);
    close(fd);
    if (rc != 0)
        return fail_write(s, -rc, err);
    s->used += nhead + bytes;
    return 0;
}

/* --- reading --- */

/* The value of the line "key value", which must be the next one; moves *p past it. */
static const char *read_spool_line(char **p, char *end, const char *key)
{
    char *stop = memchr(*p, '\n', (size_t)(end - *p));
    const size_t n = strlen(key);
    if (!stop || (size_t)(stop - *p) <= n || strncmp(*p, key, n) != 0 || (*p)[n] != ' ')
        return NULL;
    const char *value = *p + n + 1;
    *stop = '\0';
    *p = stop + 1;
    return strlen(value) == (size_t)(stop - value) ? value : NULL;
}

static bool read_spool_number(const char *text, int base, uint64_t most, uint64_t *out)
{
    char *end = NULL;
    if (!text || !*text || strspn(text, "0123456789abcdef") != strlen(text))
        return false;
    errno = 0;
    *out = strtoull(text, &end, base);
    return errno == 0 && !*end && *out <= most;
}

static bool is_url(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; p && *p; p++)
        if (*p <= ' ' || *p >= 0x7f)
            return false;
    return text && strlen(text) < ENDPOINT_URL &&
           (strncasecmp(text, "http://", 7) == 0 || strncasecmp(text, "https://", 8) == 0);
}

bool spool_parse(uint8_t *file, size_t n, struct spool_message *m)
{
    char *p = (char *)file, *end = p + n;
    uint64_t spans, bytes, hash;
    if (n < sizeof MAGIC - 1 || memcmp(file, MAGIC, sizeof MAGIC - 1) != 0)
        return false;
    p += sizeof MAGIC - 1;
    const char *url = read_spool_line(&p, end, "url");
    const char *protocol = url ? read_spool_line(&p, end, "protocol") : NULL;
    if (!is_url(url) || !protocol || !endpoint_protocol_find(protocol, &m->protocol))
        return false;
    const char *text = read_spool_line(&p, end, "spans");
    if (!read_spool_number(text, 10, UINT32_MAX, &spans))
        return false;
    text = read_spool_line(&p, end, "bytes");
    if (!read_spool_number(text, 10, SPOOL_MESSAGE_MAX, &bytes))
        return false;
    text = read_spool_line(&p, end, "hash");
    if (!read_spool_number(text, 16, UINT64_MAX, &hash) || p == end || *p++ != '\n' ||
        (uint64_t)(end - p) != bytes || XXH3_64bits(p, bytes) != hash)
        return false;
    snprintf(m->url, sizeof m->url, "%s", url);
    m->spans = (uint32_t)spans;
    m->data = (uint8_t *)p;
    m->n = bytes;
    return true;
}

/* Reads a message: 1 = it is whole; 0 = it is damaged; -1 = it cannot be read now. */
static int read_whole(struct spool_message *m)
{
    struct stat st;
    size_t n = 0;
    if (fstat(m->fd, &st) != 0)
        return -1;
    if (!S_ISREG(st.st_mode) || owner_refuses(&st, geteuid()) ||
        (uint64_t)st.st_size > SPOOL_MESSAGE_MAX + HEAD)
        return 0;
    m->size = (uint64_t)st.st_size;
    m->file = malloc(m->size + 1);
    while (m->file && n < m->size) {
        const ssize_t got = read(m->fd, m->file + n, m->size - n);
        if (got <= 0)
            return got < 0 ? -1 : 0;
        n += (size_t)got;
    }
    return !m->file ? -1 : spool_parse(m->file, n, m);
}

static void set_message_aside(struct spool *s, struct spool_message *m)
{
    char path[SPOOL_PATH], aside[SPOOL_PATH];
    write_spool_path(s, m->name, "", path);
    write_spool_path(s, m->name, bad, aside);
    if (rename(path, aside) == 0) {
        s->damaged++;
        s->used -= m->size < s->used ? m->size : s->used;
    }
}

/* Locks a file; false if another process has it or has sent it. */
static bool claim_message(const struct spool *s, struct spool_message *m)
{
    char path[SPOOL_PATH];
    struct stat st;
    write_spool_path(s, m->name, "", path);
    m->fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (m->fd < 0)
        return false;
    return flock(m->fd, LOCK_EX | LOCK_NB) == 0 && fstat(m->fd, &st) == 0 && st.st_nlink > 0;
}

static bool read_message_head(const struct spool *s, const char *name, struct spool_message *m,
                              uint64_t *spans)
{
    char path[SPOOL_PATH], head[HEAD + 1];
    struct stat st;
    write_spool_path(s, name, "", path);
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    const ssize_t n = fd >= 0 && fstat(fd, &st) == 0 ? read(fd, head, HEAD) : -1;
    if (fd >= 0)
        close(fd);
    if (n < (ssize_t)sizeof MAGIC || memcmp(head, MAGIC, sizeof MAGIC - 1) != 0)
        return false;
    char *p = head + sizeof MAGIC - 1, *end = head + n;
    const char *url = read_spool_line(&p, end, "url"),
               *text = url ? read_spool_line(&p, end, "protocol") : NULL;
    text = text ? read_spool_line(&p, end, "spans") : NULL;
    if (!is_url(url) || !read_spool_number(text, 10, UINT32_MAX, spans))
        return false;
    snprintf(m->url, sizeof m->url, "%s", url);
    m->size = (uint64_t)st.st_size;
    return true;
}

bool spool_take(struct spool *s, const char *url, struct spool_message *m)
{
    for (; s->at < s->n; s->at++) {
        uint64_t spans;
        *m = (struct spool_message){.fd = -1};
        snprintf(m->name, sizeof m->name, "%s", s->names[s->at]);
        if (url && read_message_head(s, m->name, m, &spans) && strcmp(url, m->url) != 0)
            continue;
        if (claim_message(s, m)) {
            const int whole = read_whole(m);
            if (whole > 0) {
                s->at++;
                return true;
            }
            if (whole == 0)
                set_message_aside(s, m);
        }
        spool_leave(m);
    }
    return false;
}

void spool_check(struct spool *s)
{
    struct spool_message m;
    spool_look(s);
    if (spool_take(s, "", &m)) /* no message has this address, but damaged files are set aside */
        spool_leave(&m);
}

void spool_leave(struct spool_message *m)
{
    if (m->fd >= 0)
        close(m->fd);
    free(m->file);
    *m = (struct spool_message){.fd = -1};
}

void spool_done(struct spool *s, struct spool_message *m)
{
    char path[SPOOL_PATH];
    write_spool_path(s, m->name, "", path);
    unlink(path);
    s->used -= m->size < s->used ? m->size : s->used;
    spool_leave(m);
}

struct spool_sum *spool_sums(struct spool *s, size_t *n)
{
    enum { ADDRESSES = 500 };
    struct spool_sum *list = NULL;
    size_t cap = 0;
    *n = 0;
    spool_look(s);
    for (size_t i = 0; i < s->n; i++) {
        struct spool_message m;
        uint64_t spans;
        size_t k = 0;
        if (!read_message_head(s, s->names[i], &m, &spans))
            continue;
        while (k < *n && strcmp(list[k].url, m.url) != 0)
            k++;
        if (k == ADDRESSES)
            continue;
        if (k == *n) {
            LIST_ROOM(list, *n, cap);
            list[(*n)++] = (struct spool_sum){0};
            snprintf(list[k].url, sizeof list[k].url, "%s", m.url);
            snprintf(list[k].oldest, sizeof list[k].oldest, "%s", s->names[i]);
        }
        list[k].messages++;
        list[k].spans += spans;
        list[k].bytes += m.size;
    }
    return list;
}
