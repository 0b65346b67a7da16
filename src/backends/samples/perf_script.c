/*
 * The text of perf script. A sample is a line "comm pid/tid [cpu] time: period event:", lines with
 * a frame each, the innermost first: "ip symbol+offset (object)", and an empty line. Without call
 * graphs the frame is on the first line (perf-script(1), and process_event in its source).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/samples/samples.h"

enum { FRAMES_MOST = 16 << 10 };

struct script_reading {
    struct samples_lines lines;
    struct hot_profile *profile;
    uint32_t frames[FRAMES_MOST]; /* symbols, the innermost first */
    size_t nframes;
    struct samples_names names; /* of all events */
    const char *value;          /* the event that the user wants; NULL: the first one */
    const char *event;          /* the one that is counted; NULL: not known yet */
    bool open;                  /* a sample's first line was read, its frames may follow */
    bool wanted;                /* it is of the event that is counted */
    uint64_t period;            /* how many events it stands for */
    bool called;                /* a sample has lines of frames: callers were recorded */
};

struct script_head {
    const char *event; /* not terminated */
    size_t nevent;
    const char *rest; /* what follows it */
    uint64_t period;  /* how many events the sample stands for; 0: the line does not say it */
};

static const char *skip_blanks(const char *p)
{
    while (*p && isspace((unsigned char)*p))
        p++;
    return p;
}

static const char *word_end(const char *p)
{
    while (*p && !isspace((unsigned char)*p))
        p++;
    return p;
}

/* Whether the n bytes are digits with one `inside` between them; '\0': only digits. */
static bool is_number_with(const char *word, size_t n, char inside)
{
    size_t digits = 0;
    bool seen = inside == '\0';
    for (size_t i = 0; i < n; i++) {
        const bool digit = isdigit((unsigned char)word[i]) != 0;
        if (!digit && (seen || word[i] != inside || i == 0))
            return false;
        seen |= !digit;
        digits += digit;
    }
    return digits > 0 && seen;
}

/* Whether a word is the number of a process, with a thread's or alone: "12", "12/13". */
static bool is_task_number(const char *word, size_t n)
{
    return is_number_with(word, n, '\0') || is_number_with(word, n, '/');
}

/* Finds the event of a sample's first line. False: it is not such a line. */
static bool read_perf_head(const char *line, struct script_head *out)
{
    bool task = false, time = false;
    uint64_t period = 0;
    const char *p = skip_blanks(line);
    for (size_t words = 0; *p && words < 64; words++, p = skip_blanks(p)) {
        const char *end = word_end(p);
        const size_t n = (size_t)(end - p);
        if (time && n > 1 && end[-1] == ':') {
            *out = (struct script_head){p, n - 1, skip_blanks(end), period};
            return true;
        }
        if (time && !is_number_with(p, n, '\0'))
            return false;
        if (time)
            period = strtoull(p, NULL, 10);
        time |= task && n > 2 && end[-1] == ':' && is_number_with(p, n - 1, '.');
        task |= words > 0 && is_task_number(p, n);
        p = end;
    }
    return false;
}

static bool is_perf_script(const char *path, const unsigned char *head, size_t size)
{
    enum { LINE = 1024 };
    const char *at = (const char *)head, *end = at + size;
    char line[LINE];
    struct script_head ignored;
    (void)path;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t n = (size_t)((stop ? stop : end) - at);
        if (n > 0 && *at != '#') {
            const size_t kept = n < LINE - 1 ? n : LINE - 1;
            memcpy(line, at, kept);
            line[kept] = '\0';
            return !memchr(line, '\0', kept) && read_perf_head(line, &ignored);
        }
        at = stop ? stop + 1 : end;
    }
    return false;
}

/* Cuts " (object)" off the end of a frame. Returns the object, or NULL if there is none. */
static char *cut_object(char *text)
{
    static const char deleted[] = " (deleted))";
    const size_t inner = sizeof deleted - 1;
    size_t n = strlen(text), from;
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    if (n == 0 || text[n - 1] != ')')
        return NULL;
    if (n > inner && strcmp(text + n - inner, deleted) == 0)
        n -= inner;
    for (from = n; from-- > 0;)
        if (text[from] == '(' && (from == 0 || text[from - 1] == ' '))
            break;
    if (from == SIZE_MAX)
        return NULL;
    text[strlen(text) - 1] = '\0';
    if (from > 0)
        text[from - 1] = '\0';
    text[from] = '\0';
    return text + from + 1;
}

/* Cuts "+0x1f" off the end of a symbol. */
static void cut_offset(char *name)
{
    char *plus = strrchr(name, '+');
    if (plus && plus != name && strncmp(plus, "+0x", 3) == 0 && plus[3] &&
        strspn(plus + 3, "0123456789abcdef") == strlen(plus + 3))
        *plus = '\0';
}

/* Adds the frame "ip symbol (object)". False: the text is no frame. */
static bool add_script_frame(struct script_reading *r, char *text)
{
    char *name = (char *)word_end(text);
    if (name == text || strspn(text, "0123456789abcdef") != (size_t)(name - text))
        return false;
    name = (char *)skip_blanks(name);
    char *object = cut_object(name);
    struct hot_symbol s = {.name = name, .module = "", .path = "", .file = "", .where = HOT_USER};
    cut_offset(name);
    if (object && strcmp(object, "inlined") == 0)
        s.inlined = true;
    else if (object)
        samples_object(&s, object);
    if (*name == '\0')
        s.name = "[unknown]";
    if (strcmp(s.name, "[unknown]") == 0 && s.where != HOT_KERNEL)
        s.where = HOT_UNKNOWN;
    if (!r->wanted)
        return true;
    if (r->nframes == FRAMES_MOST)
        return samples_lines_refuse(&r->lines, NULL, "a stack of more than 16384 frames") == 0;
    r->frames[r->nframes++] = hot_profile_symbol(r->profile, &s);
    return true;
}

static void close_script_sample(struct script_reading *r)
{
    int32_t node = -1;
    if (!r->open)
        return;
    r->open = false;
    if (!r->wanted) {
        r->profile->left_out++;
        return;
    }
    while (r->nframes > 0)
        node = hot_profile_node(r->profile, node, r->frames[--r->nframes]);
    hot_profile_add(r->profile, node, r->period);
}

/* Only samples of one event are counted, the first unless the user wants another: a cycle and a
 * fault cannot be added. */
static void open_script_sample(struct script_reading *r, const struct script_head *head)
{
    struct hot_stacks *stacks = &r->profile->stacks;
    const bool right = !r->value || samples_name_is(head->event, head->nevent, r->value);
    samples_name_add(&r->names, head->event, head->nevent);
    if (right && !r->event)
        r->event = stacks->event = hot_profile_text(r->profile, head->event, head->nevent);
    r->open = true;
    r->nframes = 0;
    r->period = head->period ? head->period : 1;
    r->wanted = right && strlen(r->event) == head->nevent &&
                memcmp(r->event, head->event, head->nevent) == 0;
    char *frame = (char *)head->rest;
    if (*frame && add_script_frame(r, frame))
        close_script_sample(r);
}

static void read_script_line(struct script_reading *r)
{
    char *line = r->lines.line, *text = (char *)skip_blanks(line);
    struct script_head head;
    if (*text == '#')
        return;
    if (*text == '\0')
        close_script_sample(r);
    else if (r->open && line != text && add_script_frame(r, text))
        r->called = true;
    else if (read_perf_head(line, &head)) {
        close_script_sample(r);
        open_script_sample(r, &head);
    } else if (!r->open || line == text) /* else: the source line of a frame (-F srcline) */
        samples_lines_refuse(&r->lines, "write it with: perf script -i perf.data > FILE",
                             "it is neither a sample nor a frame of perf script");
}

static int read_perf_script(const char *path, struct trace *t, struct error *err)
{
    struct script_reading *r = xcalloc(1, sizeof *r);
    r->profile = hot_profile_new();
    r->profile->stacks.weight = HOT_EVENTS;
    r->value = t->wanted_value;
    samples_lines_open(&r->lines, path, t, err);
    while (samples_lines_next(&r->lines) && !r->profile->full)
        read_script_line(r);
    int rc = r->lines.rc;
    if (rc == 0)
        close_script_sample(r);
    samples_lines_close(&r->lines);
    struct hot_profile *p = r->profile;
    if (rc == 0 && r->value && p->taken == 0 && !p->full)
        rc = samples_refuse_value(path, &r->names, r->value, err);
    if (rc == 0 && p->left_out)
        trace_note(t, "its events are %s; --value NAME shows the samples of another",
                   r->names.text);
    if (rc == 0 && !r->called)
        trace_note(t, SAMPLES_WITHOUT_CALLS);
    free(r);
    return samples_finish(p, rc, path, t, err);
}

const struct reader_ops reader_perf_script = {
    .name = "perf script",
    .summary = "",
    .streams = true,
    .samples = true,
    .recognise = is_perf_script,
    .read = read_perf_script,
};
