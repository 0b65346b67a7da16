/* Who asks, as a file or the environment says: never the command line, which others can read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/prometheus/http_get.h"
#include "base/arena.h"
#include "base/env.h"

enum { CREDENTIALS_BYTES = 16384 };

static int refuse_credentials(const char *from, struct error *err, const char *why)
{
    return error_set(err, ERROR_INPUT, EINVAL, "one line: bearer TOKEN, or basic USER:PASSWORD",
                     from, "%s", why);
}

/* text is changed. */
static int parse_credentials(struct credentials *c, char *text, const char *from, struct error *err)
{
    text[strcspn(text, "\r\n")] = '\0';
    const size_t n = strcspn(text, " \t");
    const char *secret = text + n + strspn(text + n, " \t");
    for (const char *p = secret; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return refuse_credentials(from, err, "it has a control character");
    if (!*secret)
        return refuse_credentials(from, err, "it names no kind, or has no secret");
    if (n == 6 && strncasecmp(text, "bearer", n) == 0)
        c->bearer = xstrdup(secret);
    else if (n == 5 && strncasecmp(text, "basic", n) == 0 && strchr(secret, ':'))
        c->basic = xstrdup(secret);
    else
        return refuse_credentials(from, err, "its first word is neither bearer nor basic");
    return 0;
}

int credentials_read(struct credentials *c, const char *path, struct error *err)
{
    static const char variable[] = "ROOFTOP_PROM_AUTH";
    char text[CREDENTIALS_BYTES + 1];
    const char *set = env_get(variable);
    *c = (struct credentials){0};
    if (!path && (!set || !*set))
        return 0;
    if (!path) {
        if (strlen(set) > CREDENTIALS_BYTES)
            return refuse_credentials(variable, err, "it is too long");
        memcpy(text, set, strlen(set) + 1);
        return parse_credentials(c, text, variable, err);
    }
    FILE *f = fopen(path, "re");
    if (!f)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    const size_t n = fread(text, 1, CREDENTIALS_BYTES, f);
    fclose(f);
    text[n] = '\0';
    return parse_credentials(c, text, path, err);
}

void credentials_free(struct credentials *c)
{
    free(c->bearer);
    free(c->basic);
    *c = (struct credentials){0};
}
