/* Harness files: what is read, and where the mistake of an invalid one is. */
#include <math.h>
#include <string.h>

#include "engine/judge/harness.h"
#include "support/test.h"

TEST(reads_a_file)
{
    struct harness h;
    struct error err = ERROR_INIT;
    uint64_t hash = 0;
    char text[800];
    if (harness_read(&h, "tests/data/judge/saxpy.toml", &hash, &err) != 0)
        fail_msg("%s", error_format(&err, text, sizeof text));
    assert_int_not_equal(hash, 0);
    assert_string_equal(h.function, "saxpy");
    assert_int_equal(h.n, 4);
    assert_int_equal(harness_buffers(&h), 4);
    assert_int_equal(judge_bytes(&h.arguments[0]), 0);
    assert_int_equal(judge_bytes(&h.arguments[2]), 1021 * 4);
    assert_false(judge_is_output(&h.arguments[2]));
    assert_true(judge_is_output(&h.arguments[3]));
    assert_true(judge_is_input(&h.arguments[3]));
    assert_true(h.arguments[1].value == 1.5);
    assert_true(h.exact_on_bits && h.special && h.other_lengths);
    assert_true(h.arguments[0].is_length && !h.arguments[1].is_length);
    assert_true(h.work_bytes == 3 * 1021 * 4 && h.work_flops == 0); /* y is read and written */
}

TEST(work_is_declared)
{
    static const char text[] =
        "[function]\nname='f'\nreturns='float64'\n[work]\nbytes=0\nflops=2e3\ninstructions=4e4\n";
    struct harness h;
    struct error err = ERROR_INIT;
    assert_int_equal(harness_parse(&h, text, sizeof text - 1, "f", &err), 0);
    assert_true(h.work_bytes == 0 && h.work_flops == 2000 && h.work_instructions == 40000);
}

TEST(a_result_is_an_output)
{
    static const char text[] = "[function]\nname='f'\nreturns='float64'\n[[argument]]\n"
                               "type='int32*'\nlength=3\n";
    struct harness h;
    struct error err = ERROR_INIT;
    assert_int_equal(harness_parse(&h, text, sizeof text - 1, "f", &err), 0);
    assert_int_equal(h.n, 1);
    assert_int_equal(harness_buffers(&h), 2);
    assert_int_equal(judge_bytes(&h.arguments[1]), 8);
    assert_true(judge_is_output(&h.arguments[1]));
    assert_string_equal(h.arguments[0].name, "argument 1");
}

/* Each call gets one; each of them comes within as many turns, and all are one of them. */
TEST(numbers_have_several_values)
{
    static const char text[] =
        "[function]\nname='f'\nreturns='float64'\nspecial=false\nother_lengths=false\n"
        "[[argument]]\ntype='float32'\nvalues=[1.5, -2, "
        "0.25]\n[[argument]]\ntype='int8'\nvalue=7\n";
    struct harness h;
    struct error err = ERROR_INIT;
    char why[400];
    if (harness_parse(&h, text, sizeof text - 1, "f", &err) != 0)
        fail_msg("%s", error_format(&err, why, sizeof why));
    const struct judge_argument *a = &h.arguments[0];
    assert_false(h.special || h.other_lengths);
    assert_int_equal(a->nvalues, 3);
    assert_true(judge_is_varied(a) && !judge_is_varied(&h.arguments[1]));
    unsigned first = 0;
    for (uint32_t begin = 0; begin < 64; begin++) {
        unsigned seen = 0;
        for (uint32_t turn = 0; turn < 3; turn++) {
            const double v =
                judge_value_of(a, 0, begin << JUDGE_TURN_BITS | ((begin + turn) & 0x7f));
            assert_true(v == 1.5 || v == -2 || v == 0.25);
            seen |= v == 1.5 ? 1 : v == -2 ? 2 : 4;
            first |= turn == 0 ? seen : 0;
        }
        assert_int_equal(seen, 7);
        assert_true(judge_value_of(&h.arguments[1], 1, begin) == 7);
    }
    assert_int_equal(first, 7);
}

TEST(numbers_are_stored_as_their_types)
{
    uint64_t all = 0;
    int8_t small;
    int32_t whole;
    float single;
    judge_store(JUDGE_INT8, -3, &all);
    memcpy(&small, &all, sizeof small);
    assert_int_equal(small, -3);
    judge_store(JUDGE_INT32, -100000, &all);
    memcpy(&whole, &all, sizeof whole);
    assert_int_equal(whole, -100000);
    judge_store(JUDGE_UINT64, 0x1p63, &all);
    assert_true(all == UINT64_C(1) << 63);
    judge_store(JUDGE_FLOAT32, 0.1, &all);
    memcpy(&single, &all, sizeof single);
    assert_true(single == 0.1f);
    double twice; /* not numbers of any whole type */
    judge_store(JUDGE_FLOAT64, -0x1p900, &twice);
    assert_true(twice == -0x1p900);
    judge_store(JUDGE_FLOAT32, (double)NAN, &single);
    assert_true(isnan(single));
}

#define F "[function]\nname='f'\n"
TEST(mistakes_have_a_place)
{
    static const struct {
        const char *text, *place, *words;
    } cases[] = {
        {"", "f:1:1", "no function is named"},
        {"x", "f:1:2", ""},
        {"[function]\nname=3\n", "f:2:6", "no text in quotes"},
        {"[function]\nnome='f'\n", "f:2:6", "'nome' is no key"},
        {"[functions]\n", "f:1:", "'functions' is not known"},
        {"a=1\n", "f:1:3", "stands in no table"},
        {F, "f:1:1", "no output"},
        {F "returns='float32*'\n", "f:3:9", "cannot be returned"},
        {F "relative=-1\n", "f:3:10", "below 0"},
        {F "relative=nan\n", "f:3:10", "no finite number"},
        {F "[work]\nflops=-1\n", "f:4:7", "below 0"},
        {F "[work]\nspeed=1\n", "f:4:7", "'speed' is no key"},
        {F "[[argument]]\nname='x'\n", "f:3:1", "x has no type"},
        {F "[[argument]]\ntype='float16'\n", "f:4:6", "'float16' is no type"},
        {F "[[argument]]\ntype='void'\n", "f:4:6", "'void' is no type"},
        {F "[[argument]]\ntype='int32*'\n", "f:3:1", "has no length"},
        {F "[[argument]]\ntype='int32*'\nlength=0\n", "f:5:8", "below 1"},
        {F "[[argument]]\ntype='int32*'\nlength=1.5\n", "f:5:8", "whole number"},
        {F "[[argument]]\ntype='int32*'\nlength=60000000\n", "f:3:1", "more than 64 MiB"},
        {F "[[argument]]\ntype='int32'\n", "f:3:1", "has no value"},
        {F "[[argument]]\ntype='int32'\nvalue=0.5\n", "f:3:1", "no whole number"},
        {F "[[argument]]\ntype='int8'\nvalue=300\n", "f:3:1", "no int8: 300"},
        {F "[[argument]]\ntype='uint64'\nvalue=-1\n", "f:3:1", "no uint64: -1"},
        {F "[[argument]]\ntype='int64'\nvalue=9223372036854775808.0\n", "f:3:1", "no int64"},
        {F "[[argument]]\ntype='int32'\nvalues=[]\n", "f:3:1", "has no value"},
        {F "[[argument]]\ntype='int32'\nvalues=3\n", "f:5:8", "values is no list"},
        {F "[[argument]]\ntype='int32'\nvalue=[3]\n", "f:5:8", "value is a list"},
        {F "[[argument]]\ntype='int32'\nvalues=[3, 0.5]\n", "f:3:1", "no whole number"},
        {F "[[argument]]\ntype='int32'\nvalues=[3, 'x']\n", "f:5:12", "no finite number"},
        {F "[[argument]]\ntype='uint8'\nvalues=[3, 300]\n", "f:3:1", "no uint8: 300"},
        {F "[[argument]]\ntype='int8'\nvalues=[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]\n",
         "f:5:", "more than 16 values"},
        {F "[[argument]]\ntype='int8'\nvalue=1\nvalues=[1]\n", "f:6:", "value and values"},
        {F "[[argument]]\ntype='int8*'\nlength=9\nalign=3\n", "f:6:7", "a power of 2 up to 4096"},
        {F "[[argument]]\ntype='int8*'\nlength=9\nalign=8192\n", "f:6:7", "a power of 2"},
        {F "special=1\n", "f:3:9", "no true or false"},
        {F "other_lengths='no'\n", "f:3:15", "no true or false"},
        {F "[[argument]]\ntype='int32*'\nlength=1\nlow=3\n", "f:3:1", "low is above high"},
        {F "[[argument]]\ntype='int32*'\nlength=1\ndirection='up'\n", "f:6:11", "'up' is no"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct harness h;
        struct error err = ERROR_INIT;
        char text[800];
        assert_true(harness_parse(&h, cases[i].text, strlen(cases[i].text), "f", &err) < 0);
        assert_int_equal(err.kind, ERROR_INPUT);
        error_format(&err, text, sizeof text);
        if (!strstr(text, cases[i].place) || !strstr(text, cases[i].words))
            fail_msg("'%s' said '%s', not '%s' and '%s'", cases[i].text, text, cases[i].place,
                     cases[i].words);
    }
}

TEST(there_are_limits)
{
    char text[2048] = F;
    struct harness h;
    struct error err = ERROR_INIT;
    for (int i = 0; i < 17; i++)
        strcat(text, "[[argument]]\ntype='int32*'\nlength=1\ndirection='out'\n");
    assert_true(harness_parse(&h, text, strlen(text), "f", &err) < 0);
    assert_non_null(strstr(err.why, "more than 16 arguments"));
}
