/*
 * "openai:URL": an endpoint that speaks the chat completions of OpenAI's API. URL is the part
 * before /chat/completions, followed by "#MODEL" to name the model. The key comes from
 * OPENAI_API_KEY and is sent only by https or to this host; it is never stored or shown. Source:
 * OpenAI API reference, "Create chat completion" (POST /v1/chat/completions): model,
 *   messages[].role and .content; choices[0].message.content and .finish_reason; error.message.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "backends/optimize/question.h"
#include "base/arena.h"
#include "base/curl_library.h"
#include "base/env.h"
#include "base/linkage.h"
#include "base/print.h"
#include "base/text.h"
#include "base/watch.h"
#include "engine/value/document.h"

enum { URL_SIZE = 1024, KEY_SIZE = 1024, BODY_MOST = 8 << 20 };

struct endpoint {
    char url[URL_SIZE + 32];           /* the whole address */
    char model[256];                   /* "": the endpoint chooses */
    char authorization[KEY_SIZE + 32]; /* the header; "" without a key */
    size_t key;                        /* offset of the key in it */
};

/* --- the address and the key --- */

static int refuse_url(const char *why, struct error *err)
{
    return error_set(err, ERROR_USAGE, EINVAL, "openai:https://HOST/v1#MODEL", "--proposer openai",
                     "%s", why);
}

/* Whether the host after "http://" is this machine. */
static bool is_this_host(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    const size_t n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && strncasecmp(names[i], host, n) == 0)
            return true;
    return false;
}

static int take_url(struct endpoint *e, const char *argument, struct error *err)
{
    const size_t n = strcspn(argument, "#");
    const bool https = strncasecmp(argument, "https://", 8) == 0;
    if (!https && strncasecmp(argument, "http://", 7) != 0)
        return refuse_url("its address begins with http:// or https://", err);
    if (n >= URL_SIZE || (argument[n] && strlen(argument + n + 1) >= sizeof e->model))
        return refuse_url("its address is too long", err);
    const char *host = argument + (https ? 8 : 7), *rest = host + strcspn(host, "/?#");
    if (rest == host || memchr(host, '@', (size_t)(rest - host)))
        return refuse_url("its address has no host, or a user name in it", err);
    if (memchr(argument, '?', n))
        return refuse_url("its address has a query, where a key could stand", err);
    for (const char *p = argument; *p; p++)
        if (*p <= ' ' || *p > '~')
            return refuse_url("its address has characters that need escapes", err);
    const bool slash = argument[n - 1] == '/';
    snprintf(e->url, sizeof e->url, "%.*s%schat/completions", (int)n, argument, slash ? "" : "/");
    snprintf(e->model, sizeof e->model, "%s", argument[n] ? argument + n + 1 : "");
    return https || is_this_host(host) || !env_get("OPENAI_API_KEY")
               ? 0
               : refuse_url("a key (OPENAI_API_KEY) goes only by https, or to this host", err);
}

static int take_key(struct endpoint *e, struct error *err)
{
    const char *key = env_get("OPENAI_API_KEY");
    if (!key)
        return 0;
    for (const char *p = key; *p; p++)
        if (*p <= ' ' || *p > '~' || p - key >= KEY_SIZE)
            return error_set(
                err, ERROR_USAGE, EINVAL, NULL, "OPENAI_API_KEY",
                "it is no key: it has a character that a header cannot have, or is too long");
    e->key = (size_t)snprintf(e->authorization, sizeof e->authorization, "authorization: Bearer ");
    snprintf(e->authorization + e->key, sizeof e->authorization - e->key, "%s", key);
    return 0;
}

static int openai_open(void **state, const char *argument, struct error *err)
{
    struct endpoint *e = xcalloc(1, sizeof *e);
    int rc = take_url(e, argument, err);
    if (rc == 0)
        rc = take_key(e, err);
#if ROOFTOP_HAS_CURL
    if (rc == 0 && !curl_library())
        rc = error_set(err, ERROR_UNSUPPORTED, ENOTSUP, linkage_help("apt-get install libcurl4"),
                       "--proposer openai", "%s",
                       linkage_reason("libcurl.so.4, which speaks HTTP, is not installed"));
#else
    if (rc == 0)
        rc = error_set(err, ERROR_UNSUPPORTED, ENOTSUP, "build with libcurl4-openssl-dev",
                       "--proposer openai", "rooftop was built without libcurl's headers");
#endif
    if (rc != 0)
        free(e);
    else
        *state = e;
    return rc;
}

static void openai_close(void *state)
{
    if (state)
        explicit_bzero(state, sizeof(struct endpoint));
    free(state);
}

/* --- the question and the answer --- */

static char *write_request_body(const struct endpoint *e, const struct proposal_request *r)
{
    static const char system[] =
        "You make functions faster. The user sends a JSON document with a source, what is known "
        "about it, and what was tried. Reply with one code block: the whole new source, or a "
        "unified diff. Reply with an empty message if there is nothing more to try.";
    char *question = question_document(r);
    cJSON *doc = cJSON_CreateObject();
    if (*e->model)
        json_add_text(doc, "model", e->model);
    cJSON *list = cJSON_AddArrayToObject(doc, "messages");
    for (int i = 0; i < 2; i++) {
        cJSON *message = cJSON_CreateObject();
        json_add_text(message, "role", i ? "user" : "system");
        json_add_text(message, "content", i ? question : system);
        cJSON_AddItemToArray(list, message);
    }
    cJSON_AddBoolToObject(doc, "stream", false);
    char *text = json_document(doc, false);
    cJSON_Delete(doc);
    free(question);
    return text;
}

struct reply {
    char *text;
    size_t n;
    bool huge;
};

/* Removes the key from an answer that is kept, because an endpoint may send it back. */
static void hide_key(const struct endpoint *e, struct reply *r)
{
    const char *key = e->authorization + e->key;
    const size_t n = strlen(key);
    if (!e->key || n < 4 || !r->text)
        return;
    for (char *at = r->text; (at = memmem(at, r->n - (size_t)(at - r->text), key, n)); at += n)
        memset(at, '*', n);
}

static int no_answer(const struct endpoint *e, struct error *err, const char *why)
{
    return error_set(err, ERROR_TARGET, EIO, NULL, e->url, "%s", why);
}

/* Finds three or more backticks in the line that begins at `at`, or NULL. */
static const char *fence_in(const char *at, const char *end)
{
    return memmem(at, (size_t)(end - at), "```", 3);
}

/* Returns the text after them. */
static const char *behind_fence(const char *at)
{
    return at + strspn(at, "`");
}

static bool is_blank_between(const char *from, const char *to)
{
    return from + strspn(from, " \t\r") >= to;
}

/* Whether backticks end a block: only blanks are before or after them. Strings and comments of the
 * code may contain backticks between other words. */
static bool ends_code_block(const char *line, const char *fence, const char *end)
{
    return is_blank_between(line, fence) || is_blank_between(behind_fence(fence), end);
}

/* The end of the block that begins at `from`, whose last line ends with, or is, backticks. NULL if
 * there is none. */
static const char *end_of_block(const char *from)
{
    for (const char *line = from; *line;) {
        const char *end = line + strcspn(line, "\n"), *fence = fence_in(line, end);
        if (fence && ends_code_block(line, fence, end))
            return is_blank_between(line, fence) ? line : fence;
        line = *end ? end + 1 : end;
    }
    return NULL;
}

/* Takes the largest block between three or more backticks anywhere in a line, or else the whole
 * message. The text before the block becomes the note. */
static void take_code_block(struct proposal_answer *out, const char *content)
{
    const char *block = NULL;
    size_t n = 0;
    for (const char *line = content; *line;) {
        const char *end = line + strcspn(line, "\n"), *fence = fence_in(line, end);
        const char *code = fence ? behind_fence(fence) : end, *same = fence_in(code, end);
        const char *from = same ? code : end + (*end != '\0');
        const char *to = same;
        if (!to && fence)
            to = end_of_block(from);
        if (to && (size_t)(to - from) >= n) {
            block = from;
            n = (size_t)(to - from);
        }
        end = to ? to + strcspn(to, "\n") : end;
        line = *end ? end + 1 : end;
    }
    const char *from = block ? block : content;
    n = block ? n : strlen(content);
    char *text = xcalloc(n + 1, 1);
    memcpy(text, from, n);
    question_answer(out, text, n);
    if (block && strncmp(content, "```", 3) != 0) {
        char first[PROPOSAL_NOTE];
        size_t said = strcspn(content, "\n");
        const char *fence = fence_in(content, content + said);
        for (said = fence ? (size_t)(fence - content) : said; said > 0; said--)
            if (content[said - 1] != ' ')
                break;
        snprintf(first, sizeof first, "%.*s", (int)said, content);
        print_line(out->note, sizeof out->note, "%s", text_whole(first));
    }
}

static int read_reply(const struct endpoint *e, const struct reply *reply, long status,
                      struct proposal_answer *out, struct error *err)
{
    char why[PROPOSAL_NOTE];
    cJSON *doc = cJSON_ParseWithLength(reply->text ? reply->text : "", reply->n);
    const cJSON *choice = cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "choices"), 0);
    const char *content = cJSON_GetStringValue(
        cJSON_GetObjectItem(cJSON_GetObjectItem(choice, "message"), "content"));
    const char *finish = cJSON_GetStringValue(cJSON_GetObjectItem(choice, "finish_reason"));
    const char *said =
        cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetObjectItem(doc, "error"), "message"));
    int rc = 0;
    if (status >= 300 && status < 400)
        rc = no_answer(e, err, "it sends elsewhere; that is not followed, as the key would go too");
    else if (status != 200) {
        print_line(why, sizeof why, "HTTP status %ld%s%s", status, said ? ": " : "",
                   said ? said : "");
        rc = no_answer(e, err, why);
    } else if (!content)
        rc = no_answer(e, err, "its answer is no chat completion");
    else if (finish && strcmp(finish, "length") == 0)
        rc = no_answer(e, err, "its answer was cut off where its tokens ended");
    else
        take_code_block(out, content);
    cJSON_Delete(doc);
    return rc;
}

/* --- the request --- */

#if ROOFTOP_HAS_CURL

static size_t keep_reply_body(char *data, size_t one, size_t n, void *ctx)
{
    struct reply *r = ctx;
    if (one * n > BODY_MOST - r->n) {
        r->huge = true;
        return 0; /* ends the request */
    }
    r->text = xrealloc(r->text, r->n + one * n + 1, 1);
    memcpy(r->text + r->n, data, one * n);
    r->n += one * n;
    return one * n;
}

static int stop_given_up_request(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)ctx, (void)a, (void)b, (void)c, (void)d;
    return watch_given_up();
}

static int post_question(const struct endpoint *e, const char *body, double limit_s,
                         struct reply *reply, long *status, struct error *err)
{
    const struct curl_library *lib = curl_library();
    char details[CURL_ERROR_SIZE] = "";
    CURL *curl = lib->init();
    if (!curl)
        return no_answer(e, err, "libcurl cannot be used");
    struct curl_slist *headers = lib->append(NULL, "content-type: application/json");
    headers = lib->append(headers, "expect:"); /* saves a round trip before the body */
    if (e->key)
        headers = lib->append(headers, e->authorization);
    lib->setopt(curl, CURLOPT_URL, e->url);
    lib->setopt(curl, CURLOPT_POST, 1L);
    lib->setopt(curl, CURLOPT_POSTFIELDS, body);
    lib->setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
    lib->setopt(curl, CURLOPT_HTTPHEADER, headers);
    lib->setopt(curl, CURLOPT_NOSIGNAL, 1L);
    lib->setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    if (is_this_host(strstr(e->url, "://") + 3)) /* a proxy elsewhere would get the key */
        lib->setopt(curl, CURLOPT_NOPROXY, "*");
    lib->setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    lib->setopt(curl, CURLOPT_QUICK_EXIT, 1L); /* do not wait for a resolver that hangs */
#endif
    lib->setopt(curl, CURLOPT_USERAGENT, "rooftop/" ROOFTOP_VERSION);
    lib->setopt(curl, CURLOPT_TIMEOUT_MS, (long)(limit_s * 1000));
    lib->setopt(curl, CURLOPT_WRITEFUNCTION, keep_reply_body);
    lib->setopt(curl, CURLOPT_WRITEDATA, reply);
    lib->setopt(curl, CURLOPT_XFERINFOFUNCTION, stop_given_up_request);
    lib->setopt(curl, CURLOPT_NOPROGRESS, 0L);
    lib->setopt(curl, CURLOPT_ERRORBUFFER, details);
    const CURLcode code = lib->perform(curl);
    lib->getinfo(curl, CURLINFO_RESPONSE_CODE, status);
    lib->cleanup(curl);
    lib->free_all(headers);
    if (watch_given_up())
        return watch_check(e->url, err);
    if (reply->huge)
        return no_answer(e, err, "its answer has more than 8 MiB");
    if (code == CURLE_OK)
        return 0;
    return no_answer(e, err, *details ? details : lib->text(code));
}

#else

static int post_question(const struct endpoint *e, const char *body, double limit_s,
                         struct reply *reply, long *status, struct error *err)
{
    (void)body, (void)limit_s, (void)reply, (void)status;
    return no_answer(e, err, "there is no libcurl");
}

#endif

static int openai_ask(void *state, const struct proposal_request *r, struct proposal_answer *out,
                      struct error *err)
{
    const struct endpoint *e = state;
    struct reply reply = {.text = NULL};
    struct error ignored = ERROR_INIT;
    long status = 0;
    char *body = write_request_body(e, r);
    if (!body)
        return error_set(err, ERROR_INTERNAL, ENOMEM, NULL, "question", "no memory");
    int rc = question_keep(r, "question.json", body, strlen(body), err);
    if (rc == 0)
        rc = post_question(e, body, r->limit_s, &reply, &status, err);
    free(body);
    hide_key(e, &reply);
    if (reply.n)
        question_keep(r, "answer.json", reply.text, reply.n, &ignored);
    if (rc == 0)
        rc = read_reply(e, &reply, status, out, err);
    free(reply.text);
    return rc;
}

const struct proposer_ops proposer_openai = {
    .name = "openai",
    .argument = "URL",
    .summary = "a language model behind an endpoint that speaks OpenAI's chat completions",
    .outside = true,
    .open = openai_open,
    .ask = openai_ask,
    .close = openai_close,
};
