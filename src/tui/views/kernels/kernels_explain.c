#include "tui/views/kernels/kernels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "engine/value/value.h"
#include "tui/widgets/page.h"

/* Appends an item in the words of the kernel's GPU. */
static void add_kernel_item(struct page *p, const struct kernel_row *r, const char *key,
                            const char *text)
{
    char said[320];
    page_item(p, key, "%s", gpu_say(r->words, text, said, sizeof said));
}

static void add_bounding_rule(struct page *p, const struct kernel_row *r)
{
    char text[BOTTLENECK_TERMS][BOTTLENECK_TEXT];
    page_heading(p, "What bounds it");
    if (!r->label.rule) {
        page_text(p, STYLE_DIM, "a copy that is not on the critical path has no label");
        return;
    }
    add_kernel_item(p, r, "label", bottleneck_name(r->label.label));
    page_item(p, "confidence", "%s", confidence_name(r->label.confidence));
    for (size_t i = 0, n = bottleneck_evidence(&r->label, &r->facts, false, text); i < n; i++)
        add_kernel_item(p, r, i == 0 ? "evidence" : "", text[i]);
    for (int l = 0; l < LABELS; l++)
        if (r->label.also >> l & 1)
            add_kernel_item(p, r, "also", bottleneck_name((enum bottleneck_label)l));
    page_item(p, "rule from", "%s", r->label.rule->source);
    if (*bottleneck_advice(r->label.label))
        add_kernel_item(p, r, "to look at", bottleneck_advice(r->label.label));
}

static void add_kernel_resources(struct page *p, const struct kernel_row *r)
{
    char text[LAUNCH_TEXT], shape[160], fit[128];
    page_heading(p, "Shape and resources");
    if (*kernel_shape_text(&r->shape, text)) {
        snprintf(shape, sizeof shape, "%s; %" PRIu32 " shape%s in all", text, r->shapes,
                 r->shapes == 1 ? "" : "s");
        add_kernel_item(p, r, "launch", shape);
    }
    if (!r->occupancy.arch) {
        page_item(p, "occupancy", "not known: %s is not in the table",
                  *r->arch ? r->arch : "its architecture");
    } else if (isnan(r->occupancy.waves)) {
        add_kernel_item(p, r, "occupancy", "unknown, because its workgroups are unknown");
    } else {
        page_item(p, "occupancy", "%s", kernel_fit_text(r, fit, sizeof fit));
        add_kernel_item(p, r, "limited by", occupancy_limit_name(r->occupancy.limit));
    }
    if (r->occupancy.arch)
        page_item(p, "from", "%s", r->occupancy.arch->source);
}

static void add_kernel_facts(struct page *p, const struct kernel_row *r)
{
    char text[VALUE_TEXT_MAX], line[128];
    page_heading(p, "Facts that rules look at");
    for (int i = 0; i < FACT_IDLE; i++) {
        enum unit unit = fact_unit((enum fact)i);
        double v = r->facts.v[i];
        struct value value = value_ok(unit == UNIT_PERCENT ? 100 * v : v, unit);
        snprintf(line, sizeof line, "%s: %s", fact_name((enum fact)i),
                 isnan(v) ? "not known" : value_format(&value, 0, text));
        add_kernel_item(p, r, fact_id((enum fact)i), line);
    }
}

void kernels_explain(struct page *p, const struct model *m, const struct view_state *st,
                     const char *key)
{
    (void)st;
    const struct kernel_row *r = m->profile ? kernels_find(&m->profile->kernels, key) : NULL;
    if (!r) {
        page_text(p, STYLE_DIM, "it is not in the profile");
        return;
    }
    page_heading(p, r->name);
    add_bounding_rule(p, r);
    if (r->kind == NODE_KERNEL) {
        add_kernel_resources(p, r);
        add_kernel_facts(p, r);
    }
}
