/* Who asks, as a file or the environment says: never the command line, which others can read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/prometheus/http_get.h"
#include "base/arena.h"
#include "base/env.h"
#include "engine/value/text_file.h"

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
    const char *set = env_get(variable);
    char *text = NULL;
    size_t n;
    *c = (struct credentials){0};
    if (!path && !set)
        return 0;
    int rc = 0;
    if (path)
        rc = text_file_read(&text, &n, path, err);
    else
        text = xstrdup(set);
    if (rc == 0)
        rc = parse_credentials(c, text, path ? path : variable, err);
    free(text);
    return rc;
}

void credentials_free(struct credentials *c)
{
    free(c->bearer);
    free(c->basic);
    *c = (struct credentials){0};
}
