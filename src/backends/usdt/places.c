#include "backends/usdt/usdt_impl.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/elf/usdt_notes.h"

int places_init(struct probe_places *p, const char *patterns, struct error *err)
{
    *p = (struct probe_places){0};
    return probe_patterns_parse(&p->patterns, patterns, err);
}

void places_free(struct probe_places *p)
{
    free(p->list);
    free(p->probes);
    free(p->pairs);
    free(p->files);
    free(p->names);
    arena_free(&p->texts);
    *p = (struct probe_places){0};
}

static bool is_new_probed_file(struct probe_places *p, const struct object *o)
{
    for (size_t i = 0; i < p->nfiles; i++)
        if (p->files[i].dev == o->dev && p->files[i].inode == o->inode)
            return false;
    if (p->nfiles == PLACES_FILES_MAX)
        return false;
    p->files = xrealloc(p->files, p->nfiles + 1, sizeof *p->files);
    p->files[p->nfiles++] = (struct place_file){o->dev, o->inode};
    return true;
}

/* Finds or adds a probe. Notes are sorted, so equal names are consecutive: the last one found is
 * compared first. */
static uint32_t probe_of(struct probe_places *p, const struct usdt_probe *u, uint32_t last)
{
    if (last != PLACES_NONE && strcmp(p->names[last].name, u->name) == 0 &&
        strcmp(p->names[last].provider, u->provider) == 0)
        return last;
    for (uint32_t i = 0; i < p->nprobes; i++)
        if (strcmp(p->names[i].name, u->name) == 0 &&
            strcmp(p->names[i].provider, u->provider) == 0)
            return i;
    p->probes = xrealloc(p->probes, p->nprobes + 1, sizeof *p->probes);
    p->names = xrealloc(p->names, p->nprobes + 1, sizeof *p->names);
    p->names[p->nprobes] =
        (struct probe_name){arena_strdup(&p->texts, u->provider), arena_strdup(&p->texts, u->name)};
    p->probes[p->nprobes] = (struct place_probe){p->names[p->nprobes], PLACES_NONE, PLACES_NONE};
    return (uint32_t)p->nprobes++;
}

static void add_probed_file(struct probe_places *p, const struct object *o)
{
    struct usdt_notes notes;
    uint32_t last = PLACES_NONE;
    const char *path = NULL;
    if (usdt_notes_read(&notes, o->path, NULL) == 0 && notes.inode == o->inode)
        for (size_t i = 0; i < notes.n && p->n < PLACES_MAX; i++) {
            const struct usdt_probe *u = &notes.probes[i];
            if (!probe_provider_wanted(&p->patterns, u->provider))
                continue;
            if (!u->located) {
                p->unlocated++;
                continue;
            }
            last = probe_of(p, u, last);
            path = path ? path : arena_strdup(&p->texts, o->path);
            if ((p->n & (p->n + 1)) == 0) /* the array grows at 2^k - 1 entries */
                p->list = xrealloc(p->list, 2 * (p->n + 1), sizeof *p->list);
            p->list[p->n++] = (struct probe_place){
                path, notes.dev, notes.inode, u->offset, u->semaphore_offset, last, false};
        }
    usdt_notes_free(&notes);
}

static bool pair_known(const struct probe_places *p, const struct probe_pair *pair)
{
    for (size_t i = 0; i < p->npairs; i++)
        if (p->pairs[i].pair.begin == pair->begin && p->pairs[i].pair.end == pair->end)
            return true;
    return false;
}

static void find_new_probe_pairs(struct probe_places *p)
{
    struct probe_pair *found = xcalloc(PROBE_PAIRS_MAX, sizeof *found);
    size_t n = probe_pairs_find(&p->patterns, p->names, p->nprobes, found, PROBE_PAIRS_MAX);
    for (size_t i = 0; i < n && p->npairs < PROBE_PAIRS_MAX; i++) {
        if (pair_known(p, &found[i]))
            continue;
        struct place_probe *begin = &p->probes[found[i].begin], *end = &p->probes[found[i].end];
        p->pairs = xrealloc(p->pairs, p->npairs + 1, sizeof *p->pairs);
        p->pairs[p->npairs] = (struct place_pair){found[i], begin->begins, end->ends};
        begin->begins = end->ends = (uint32_t)p->npairs++;
    }
    free(found);
}

bool places_look(struct probe_places *p, const struct objects *o)
{
    size_t before = p->n;
    for (size_t i = 0; i < o->n; i++)
        if (is_new_probed_file(p, &o->list[i]))
            add_probed_file(p, &o->list[i]);
    if (p->n == before)
        return false;
    find_new_probe_pairs(p);
    return true;
}

bool places_wanted(const struct probe_places *p, uint32_t probe)
{
    return p->probes[probe].begins != PLACES_NONE || p->probes[probe].ends != PLACES_NONE;
}
