#include "tui/overlays/explain_kernel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "engine/kernels_export.h"
#include "tui/views/kernels.h"

static void rule(struct page *p, const struct kernel_row *r)
{
    char text[256];
    page_heading(p, "What bounds it");
    if (!r->label.rule) {
        page_text(p, STYLE_DIM, "nothing is said about a copy that is not on the critical path");
        return;
    }
    page_item(p, "label", "%s", bottleneck_name(r->label.label));
    page_item(p, "confidence", "%s", confidence_name(r->label.confidence));
    for (int i = 0; i < r->label.rule->nterms; i++)
        page_item(
            p, i == 0 ? "evidence" : "", "%s",
            bottleneck_term_text(&r->label.rule->terms[i], &r->facts, false, text, sizeof text));
    for (int l = 0; l < LABELS; l++)
        if (r->label.also >> l & 1)
            page_item(p, "also", "%s", bottleneck_name((enum bottleneck_label)l));
    page_item(p, "rule from", "%s", r->label.rule->source);
    if (*bottleneck_advice(r->label.label))
        page_item(p, "to look at", "%s", bottleneck_advice(r->label.label));
}

static void resources(struct page *p, const struct kernel_row *r)
{
    char text[96];
    page_heading(p, "Shape and resources");
    if (*kernel_shape_text(&r->shape, text, sizeof text))
        page_item(p, "grid", "%s work-items, %" PRIu32 " shape%s in all", text, r->shapes,
                  r->shapes == 1 ? "" : "s");
    if (!r->occupancy.arch) {
        page_item(p, "occupancy", "not known: %s is not in the table",
                  *r->arch ? r->arch : "its architecture");
    } else if (isnan(r->occupancy.waves)) {
        page_item(p, "occupancy", "not known: its workgroups are not");
    } else {
        page_item(p, "occupancy", "%s%.3g of %u waves a SIMD",
                  r->occupancy.complete ? "" : "at most ", r->occupancy.waves, r->occupancy.most);
        page_item(p, "limited by", "%s", occupancy_limit_name(r->occupancy.limit));
    }
    if (r->occupancy.arch)
        page_item(p, "from", "%s", r->occupancy.arch->source);
}

static void facts(struct page *p, const struct kernel_row *r)
{
    char text[VALUE_TEXT_MAX];
    page_heading(p, "Facts that rules look at");
    for (int i = 0; i < FACT_IDLE; i++) {
        enum unit unit = fact_unit((enum fact)i);
        double v = r->facts.v[i];
        struct value value = value_ok(unit == UNIT_PERCENT ? 100 * v : v, unit);
        page_item(p, fact_id((enum fact)i), "%s: %s", fact_name((enum fact)i),
                  isnan(v) ? "not known" : value_format(&value, 0, text));
    }
}

void explain_kernel(struct page *p, const struct model *m, const char *key)
{
    const struct kernel_row *r = m->profile ? kernels_find(&m->profile->kernels, key) : NULL;
    if (!r) {
        page_text(p, STYLE_DIM, "it is not in the profile");
        return;
    }
    page_heading(p, r->name);
    rule(p, r);
    if (r->kind == NODE_KERNEL) {
        resources(p, r);
        facts(p, r);
    }
}
