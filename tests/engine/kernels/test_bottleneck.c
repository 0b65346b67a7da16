/* The rules of bottlenecks, with made-up facts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/kernels/bottleneck.h"
#include "support/test.h"

enum { GIVEN = 6 };
struct given {
    enum fact fact;
    double v;
};

static struct facts facts_of(const struct given *g)
{
    struct facts f;
    facts_unknown(&f);
    for (int i = 0; i < GIVEN && (g[i].fact || g[i].v != 0); i++)
        f.v[g[i].fact] = g[i].v;
    return f;
}

static const struct {
    enum bottleneck_scope scope;
    struct given given[GIVEN];
    enum bottleneck_label label;
    enum bottleneck_confidence confidence;
} cases[] = {
    /* without counters */
    {SCOPE_KERNEL, {{0}}, LABEL_MIXED, CONFIDENCE_LOW},
    {SCOPE_KERNEL, {{FACT_MEAN, 1e-3}, {FACT_LATE, 0.5}}, LABEL_HOST, CONFIDENCE_HIGH},
    {SCOPE_KERNEL, {{FACT_MEAN, 1e-3}, {FACT_LATE, 0.49}}, LABEL_MIXED, CONFIDENCE_LOW},
    {SCOPE_KERNEL,
     {{FACT_MEAN, 3e-6}, {FACT_GAP, 0.6}, {FACT_LAUNCH, 0.6}},
     LABEL_LAUNCH,
     CONFIDENCE_HIGH},
    {SCOPE_KERNEL, {{FACT_MEAN, 3e-6}, {FACT_GAP, 0.6}}, LABEL_LAUNCH, CONFIDENCE_LOW},
    {SCOPE_KERNEL,
     {{FACT_MEAN, 3e-6}, {FACT_GAP, 0.6}, {FACT_LAUNCH, 0.1}},
     LABEL_MIXED,
     CONFIDENCE_LOW}, /* the gap has another cause */
    {SCOPE_KERNEL, {{FACT_MEAN, 3e-5}, {FACT_GAP, 0.6}}, LABEL_MIXED, CONFIDENCE_LOW},
    {SCOPE_KERNEL, {{FACT_UNITS, 0.9}, {FACT_STALL, 0.1}}, LABEL_WAVES, CONFIDENCE_HIGH},
    {SCOPE_KERNEL, {{FACT_FILL, 0.25}}, LABEL_WAVES, CONFIDENCE_LOW},
    {SCOPE_KERNEL, {{FACT_FILL, 0.25}, {FACT_STALL, 0.6}}, LABEL_WAVES, CONFIDENCE_MEDIUM},
    {SCOPE_KERNEL, {{FACT_FILL, 0.25}, {FACT_STALL, 0.1}}, LABEL_MIXED, CONFIDENCE_LOW},
    {SCOPE_KERNEL, {{FACT_OCCUPANCY, 0.5}, {FACT_BY_VGPRS, 1}}, LABEL_VGPR, CONFIDENCE_LOW},
    {SCOPE_KERNEL, {{FACT_OCCUPANCY, 0.51}, {FACT_BY_VGPRS, 1}}, LABEL_MIXED, CONFIDENCE_LOW},
    {SCOPE_KERNEL, {{FACT_OCCUPANCY, 0.2}, {FACT_BY_VGPRS, 0}}, LABEL_MIXED, CONFIDENCE_LOW},
    {SCOPE_KERNEL,
     {{FACT_OCCUPANCY, 0.25}, {FACT_BY_LDS, 1}, {FACT_STALL, 0.4}},
     LABEL_LDS,
     CONFIDENCE_MEDIUM},
    /* close to a roof, whatever the occupancy */
    {SCOPE_KERNEL,
     {{FACT_RIDGE, 0.2}, {FACT_BYTES, 0.85}, {FACT_OCCUPANCY, 0.25}, {FACT_BY_VGPRS, 1}},
     LABEL_BANDWIDTH,
     CONFIDENCE_HIGH},
    {SCOPE_KERNEL,
     {{FACT_RIDGE, 3}, {FACT_FLOPS, 0.7}, {FACT_BYTES, 0.2}},
     LABEL_COMPUTE,
     CONFIDENCE_HIGH},
    /* the six cases of rocm-perf-lab */
    {SCOPE_KERNEL,
     {{FACT_STALL, 0.3}, {FACT_VMEM, 0.2}, {FACT_MEM_LATENCY, 200}},
     LABEL_LATENCY,
     CONFIDENCE_HIGH},
    {SCOPE_KERNEL, {{FACT_STALL, 0.4}, {FACT_VMEM, 0.1}}, LABEL_LATENCY, CONFIDENCE_MEDIUM},
    {SCOPE_KERNEL,
     {{FACT_STALL, 0.4}, {FACT_VMEM, 0.1}, {FACT_MEM_LATENCY, 100}},
     LABEL_MIXED,
     CONFIDENCE_LOW},
    {SCOPE_KERNEL, {{FACT_RIDGE, 0.5}, {FACT_VMEM, 0.25}}, LABEL_BANDWIDTH, CONFIDENCE_MEDIUM},
    {SCOPE_KERNEL,
     {{FACT_RIDGE, 2}, {FACT_VALU, 0.7}, {FACT_STALL, 0.1}, {FACT_VMEM, 0.1}},
     LABEL_COMPUTE,
     CONFIDENCE_MEDIUM},
    {SCOPE_KERNEL, {{FACT_SALU, 0.3}, {FACT_BRANCH, 0.2}}, LABEL_SCALAR, CONFIDENCE_MEDIUM},
    {SCOPE_KERNEL, {{FACT_SALU, 0.2}, {FACT_BRANCH, 0.2}}, LABEL_BRANCH, CONFIDENCE_MEDIUM},
    {SCOPE_KERNEL,
     {{FACT_SALU, 0.2}, {FACT_BRANCH, 0.1}, {FACT_VALU, 0.4}, {FACT_VMEM, 0.1}},
     LABEL_MIXED,
     CONFIDENCE_LOW},
    /* copies */
    {SCOPE_COPY, {{FACT_CRITICALITY, 0.1}}, LABEL_COPY, CONFIDENCE_HIGH},
    {SCOPE_COPY, {{FACT_CRITICALITY, 0.05}}, LABEL_NONE, CONFIDENCE_NONE},
    {SCOPE_COPY, {{0}}, LABEL_NONE, CONFIDENCE_NONE},
    /* the whole profile */
    {SCOPE_PROFILE,
     {{FACT_IDLE, 0.6}, {FACT_COPY_ALONE, 0.4}, {FACT_PATH_HOST, 0.5}},
     LABEL_COPY,
     CONFIDENCE_HIGH},
    {SCOPE_PROFILE, {{FACT_IDLE, 0.6}, {FACT_PATH_HOST, 0.5}}, LABEL_HOST, CONFIDENCE_HIGH},
    /* the host's part of the path is not known */
    {SCOPE_PROFILE, {{FACT_IDLE, 0.6}}, LABEL_MIXED, CONFIDENCE_LOW},
    {SCOPE_PROFILE,
     {{FACT_IDLE, 0.6}, {FACT_PATH_HOST, 0.1}, {FACT_PATH_LAUNCH, 0.4}, {FACT_SHORT, 0.9}},
     LABEL_LAUNCH,
     CONFIDENCE_HIGH},
    {SCOPE_PROFILE, {{FACT_IDLE, 0.3}, {FACT_SHORT, 0.8}}, LABEL_LAUNCH, CONFIDENCE_LOW},
    {SCOPE_PROFILE, {{FACT_IDLE, 0.1}}, LABEL_DEVICE, CONFIDENCE_HIGH},
    /* the path is on the host, but the device is busy */
    {SCOPE_PROFILE, {{FACT_IDLE, 0.01}, {FACT_PATH_HOST, 0.998}}, LABEL_DEVICE, CONFIDENCE_HIGH},
    {SCOPE_PROFILE,
     {{FACT_IDLE, 0.016}, {FACT_PATH_LAUNCH, 0.25}, {FACT_SHORT, 0.9}},
     LABEL_DEVICE,
     CONFIDENCE_HIGH},
    {SCOPE_PROFILE, {{FACT_IDLE, 0.3}, {FACT_PATH_HOST, 0.6}}, LABEL_HOST, CONFIDENCE_MEDIUM},
    {SCOPE_PROFILE,
     {{FACT_IDLE, 0.1}, {FACT_COMM_ALONE, 0.4}},
     LABEL_COMMUNICATION,
     CONFIDENCE_HIGH},
    /* collectives use few compute units on purpose */
    {SCOPE_COLLECTIVE,
     {{FACT_UNITS, 0.07}, {FACT_FILL, 0.02}, {FACT_EXPOSED, 0.9}},
     LABEL_COMMUNICATION,
     CONFIDENCE_HIGH},
    {SCOPE_COLLECTIVE, {{FACT_PEER, 0.8}, {FACT_EXPOSED, 0.5}}, LABEL_PEER, CONFIDENCE_MEDIUM},
    {SCOPE_COLLECTIVE, {{FACT_PEER, 0.8}, {FACT_EXPOSED, 0.1}}, LABEL_HIDDEN, CONFIDENCE_HIGH},
    {SCOPE_COLLECTIVE, {{FACT_OCCUPANCY, 0.1}, {FACT_BY_VGPRS, 1}}, LABEL_MIXED, CONFIDENCE_LOW},
    {SCOPE_PROFILE, {{FACT_IDLE, 0.3}, {FACT_SHORT, 0.1}}, LABEL_MIXED, CONFIDENCE_LOW},
};

TEST(labels_follow_from_facts)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct facts f = facts_of(cases[i].given);
        struct bottleneck b = bottleneck_find(cases[i].scope, &f);
        if (b.label != cases[i].label || b.confidence != cases[i].confidence)
            fail_msg("case %zu: '%s', %s; expected '%s', %s", i, bottleneck_name(b.label),
                     confidence_name(b.confidence), bottleneck_name(cases[i].label),
                     confidence_name(cases[i].confidence));
    }
}

/* For any facts: a label's evidence is complete, and no known fact contradicts it. */
TEST(labels_have_their_evidence)
{
    uint64_t seed = 7;
    for (int n = 0; n < 20000; n++) {
        struct facts f;
        for (int i = 0; i < FACTS; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            f.v[i] = seed >> 60 < 5 ? (double)NAN : (double)(seed >> 33) / 2147483648.0;
        }
        enum bottleneck_scope scope = (enum bottleneck_scope)(n % SCOPES);
        struct bottleneck b = bottleneck_find(scope, &f), again = bottleneck_find(scope, &f);
        assert_true(b.label == again.label && b.confidence == again.confidence &&
                    b.rule == again.rule && b.also == again.also);
        assert_true(b.rule || scope == SCOPE_COPY);
        for (int i = 0; b.rule && i < b.rule->nterms; i++) {
            const struct bottleneck_term *t = &b.rule->terms[i];
            double v = f.v[t->fact];
            assert_true(isnan(v) ? t->support : t->below ? v <= t->limit : v >= t->limit);
            assert_true(!isnan(v) || b.confidence == b.rule->bare);
        }
        assert_true(b.label == LABEL_NONE || b.confidence != CONFIDENCE_NONE);
        assert_false(b.also >> b.label & 1);
        assert_false(b.also >> LABEL_MIXED & 1); /* MIXED is no second reason */
        for (int l = 0; l < LABELS; l++)
            assert_false(b.also >> l & 1 &&
                         bottleneck_contradict(b.label, (enum bottleneck_label)l));
        if (scope == SCOPE_PROFILE && (b.label == LABEL_HOST || b.label == LABEL_LAUNCH))
            /* kernels on a busy device do not wait for launches */
            assert_true(f.v[FACT_IDLE] >= 0.2);
    }
}

TEST(every_rule_has_a_source_and_can_match)
{
    for (const struct bottleneck_rule *r = bottleneck_rules; r->source; r++) {
        struct facts f;
        assert_true(strlen(r->source) > 10);
        assert_true(r->nterms <= BOTTLENECK_TERMS);
        assert_true(r->bare <= r->best);
        facts_unknown(&f);
        for (int i = 0; i < r->nterms; i++)
            f.v[r->terms[i].fact] = r->terms[i].limit;
        struct bottleneck b = bottleneck_find(r->scope, &f);
        if (r->nterms && b.label != r->label && !(b.also >> r->label & 1))
            fail_msg("the rule for '%s' from '%s' never matches", bottleneck_name(r->label),
                     r->source);
    }
    for (int l = 0; l < LABELS; l++)
        assert_true(l == LABEL_NONE || *bottleneck_name((enum bottleneck_label)l));
    for (int i = 0; i < FACTS; i++)
        assert_true(*fact_id((enum fact)i) && *fact_name((enum fact)i));
}

TEST(evidence_is_told_with_its_numbers)
{
    char text[160];
    struct facts f;
    facts_unknown(&f);
    f.v[FACT_GAP] = 0.625;
    const struct bottleneck_term gap = {.fact = FACT_GAP, .limit = 0.5},
                                 wait = {.fact = FACT_STALL, .limit = 0.3, .support = true};
    assert_string_equal(bottleneck_term_text(&gap, &f, true, text, sizeof text),
                        "device idle before it: 62.5 % (rule: 50 % or more)");
    assert_string_equal(bottleneck_term_text(&wait, &f, true, text, sizeof text),
                        "waves wait: not known");
}

/* What the profile's rules look at, all known: what is idle, the host's part of the path, and what
 * twice as fast a device saves. */
static struct facts all_known(double idle, double host, double saves)
{
    struct facts f;
    facts_unknown(&f);
    for (int i = FACT_IDLE; i < FACTS; i++)
        f.v[i] = 0;
    f.v[FACT_IDLE] = idle;
    f.v[FACT_PATH_HOST] = host;
    f.v[FACT_SAVES_DEVICE] = f.v[FACT_SAVES_HOST] = saves;
    return f;
}

static void expect_unclear(const struct facts *f, enum bottleneck_confidence confidence,
                           const char *first, const char *second)
{
    char text[BOTTLENECK_TERMS][BOTTLENECK_TEXT];
    const struct bottleneck b = bottleneck_find(SCOPE_PROFILE, f);
    assert_int_equal(b.label, LABEL_MIXED);
    assert_int_equal(b.confidence, confidence);
    const size_t n = bottleneck_evidence(&b, f, true, text);
    assert_true(n >= 2);
    assert_string_equal(text[0], first);
    assert_string_equal(text[1], second);
}

/* By hand from the table: 35 % idle is 75 % above the 20 % of the device's rule; the host's 25 % of
 * the path are half of what its rule asks for, as 30 % would be with half of the time idle. */
/* By hand: the host saves 40 %, so that what the device saves counts as 0. */
TEST(a_saving_that_counts_as_none_names_the_one_that_is_larger)
{
    char text[BOTTLENECK_TERMS][BOTTLENECK_TEXT];
    struct facts f;
    facts_unknown(&f);
    f.v[FACT_IDLE] = 0.1;
    f.v[FACT_PATH_HOST] = 0.6;
    f.v[FACT_PATH_COPY] = f.v[FACT_PATH_LAUNCH] = f.v[FACT_SHORT] = 0;
    f.v[FACT_COPY_ALONE] = f.v[FACT_COMM_ALONE] = 0;
    f.v[FACT_SAVES_DEVICE] = f.v[FACT_SAVES_COPY] = f.v[FACT_SAVES_COMM] = 0;
    f.v[FACT_SAVES_HOST] = 0.4;
    const struct bottleneck b = bottleneck_find(SCOPE_PROFILE, &f);
    const size_t n = bottleneck_evidence(&b, &f, true, text);
    bool named = false;
    assert_int_equal(b.label, LABEL_MIXED);
    for (size_t i = 0; i < n; i++)
        named |=
            strstr(text[i], "twice as fast a device saves: less than half of what twice as fast a "
                            "host saves, 40.0 % (rule: 5 % or more is Device bound)") != NULL;
    assert_true(named);
    assert_string_equal(bottleneck_sure(&b), b.confidence == CONFIDENCE_HIGH
                                                 ? "no rule fits"
                                                 : "no rule fits, one nearly does");
}

TEST(what_is_unclear_says_between_which_rules_it_lies)
{
    struct facts f = all_known(0.35, 0.25, 0.3);
    expect_unclear(&f, CONFIDENCE_HIGH,
                   "the host, of the critical path: 25.0 % (rule: 50 % or more is Host bound)",
                   "no device at work: 35.0 % (rule: 20 % or less is Device bound)");
    f = all_known(0.35, 0.35, 0.3); /* between two rules: only idle time is missing for the host */
    expect_unclear(&f, CONFIDENCE_HIGH,
                   "no device at work: 35.0 % (rules: 50 % or more is Host bound, 20 % or less is "
                   "Device bound)",
                   "the host, of the critical path: 35.0 % (rule: 50 % or more is Host bound)");
    f = all_known(0.22, 0.1, 0.3); /* 20 % are missed by a tenth */
    expect_unclear(&f, CONFIDENCE_MEDIUM,
                   "no device at work: 22.0 % (rule: 20 % or less is Device bound)",
                   "the host, of the critical path: 10.0 % (rule: 50 % or more is Host bound)");
    f.v[FACT_PATH_HOST] = NAN;
    expect_unclear(&f, CONFIDENCE_LOW,
                   "the host, of the critical path: not known (rule: 50 % or more is Host bound)",
                   "no device at work: 22.0 % (rule: 20 % or less is Device bound)");
}
