/* Parses the value of --tolerance. */
#include "engine/replay/replay_rule.h"
#include "support/test.h"

TEST(rules_are_understood_or_refused)
{
    struct replay_rule rule;
    struct error err = ERROR_INIT;
    assert_int_equal(replay_rule_parse("exact", &rule, &err), 0);
    assert_true(rule.tolerance.exact);
    assert_int_equal(replay_rule_parse("f32,abs=1e-6,rel=0.5,ulps=4", &rule, &err), 0);
    assert_int_equal(rule.type, MEMORY_F32);
    assert_false(rule.tolerance.exact);
    assert_true(rule.tolerance.absolute == 1e-6 && rule.tolerance.relative == 0.5);
    assert_int_equal(rule.tolerance.ulps, 4);
    static const char *const bad[] = {"",         "f31",           "f32,abs",
                                      "f32,abs=", "f32,abs=-1",    "f32,abs=nan",
                                      "f32,x=1",  "f32,ulps=1e99", "f32,abs=1x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (struct error)ERROR_INIT;
        assert_int_not_equal(replay_rule_parse(bad[i], &rule, &err), 0);
        assert_int_equal(err.kind, ERROR_USAGE);
    }
}
