/* Demangles names of C++ and Rust, and leaves those alone that only look like them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle/demangle.h"
#include "support/test.h"

static void is(const char *name, const char *wanted)
{
    char out[1024];
    assert_string_equal(demangle(name, out, sizeof out), wanted);
}

TEST(cxx)
{
    is("_ZN4grid5field3sumERSt6vectorIdSaIdEE",
       "grid::field::sum(std::vector<double, std::allocator<double> >&)");
    is("_Z4gemmPKDF16_PDF16_", "gemm(_Float16 const*, _Float16*)");
    is("_Z1fIDF16_EvT_DF16_x", "void f<_Float16>(_Float16, _Float16, long long)");
    is("_Z5DF16_i", "DF16_(int)");
    is("_Z1fDF16b", "f(__bf16)");
    is("_Z1fILi4EDF16bEvT0_DF16_", "void f<4, __bf16>(__bf16, _Float16)");
    is("_Z6DF16_iDF16_", "DF16_i(_Float16)");
    is("_Z99DF16_", "_Z99DF16_");
    is("_ZN1a1bEi.cold", "a::b(int) [clone .cold]");
    is("_ZN1a1bEi@plt", "a::b(int)@plt");
    is("memcpy@plt", "memcpy@plt");
    is("_start@plt", "_start@plt");
}

TEST(rust)
{
    is("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
    is("_ZN38_$LT$a..B$u20$as$u20$c..D$LT$T$GT$$GT$3run17h0123456789abcdefE",
       "<a::B as c::D<T>>::run");
    is("_RNvC3abc4main", "abc::main");
    is("_RNvCs7fFFFzzzzzz_3abc4main.llvm.123", "abc::main");
    is("_RNCNvC3abc4main0B5_", "abc::main::{closure#0}");
    is("_RNCNvC3abc4mains_0B5_", "abc::main::{closure#1}");
    is("_RINvC3abc3foolE", "abc::foo::<i32>");
    is("_RINvC3abc3fooRNtB4_1SAhj10_QSmTuELb1_FEuE", "_RINvC3abc3fooRNtB4_1SAhj10_QSmTuELb1_FEuE");
    is("_RINvC3abc3fooRNtB2_1SAhj10_QSmTtEKb1_FlEuE",
       "abc::foo::<&abc::S, [u8; 16], &mut [u32], (u16,), true, fn(i32)>");
    is("_RNvMC3abcNtB2_1S3new", "<abc::S>::new");
    is("_RNvXC3abcNtB2_1SNtC3def1T3run", "<abc::S as def::T>::run");
    is("_RINvC3abc3fooDNtC3def1Tp4ItemmEL_E", "abc::foo::<dyn def::T<Item = u32>>");
}

/* As GNU c++filt 2.40 prints them, without hashes of crates. */
TEST(types_lifetimes_and_traits_of_rust)
{
    is("_RINvC1a1fahsltxynmjiodfbcevpuzE",
       "a::f::<i8, u8, i16, i32, u16, i64, u64, i128, u32, usize, isize, u128, f64, f32, bool, "
       "char, str, ..., _, (), !>");
    is("_RINvC1a1fRL_hE", "a::f::<&u8>");
    is("_RINvC1a1fFG_RL0_hEuE", "a::f::<for<'a> fn(&'a u8)>");
    is("_RINvC1a1fFG0_RL1_hRL0_tEuE", "a::f::<for<'a, 'b> fn(&'a u8, &'b u16)>");
    is("_RINvC1a1fFG_RL0_FG_RL1_hRL0_tEuEuE",
       "a::f::<for<'a> fn(&'a for<'b> fn(&'a u8, &'b u16))>");
    is("_RINvC1a1fDG_INtC1b1TRL0_hEEL_E", "a::f::<dyn for<'a> b::T<&'a u8>>");
    is("_RINvC1a1fDNtC1b1TEL_DB8_EL_E", "a::f::<dyn b::T, dyn b::T>");
    is("_RINvC1a1fDINtC1b1ThEp1AlEL_DB8_p1BmEL_E",
       "a::f::<dyn b::T<u8, A = i32>, dyn b::T<u8, B = u32>>");
    is("_RINvC1a1fRL0_hE", "_RINvC1a1fRL0_hE");     /* an unbound lifetime */
    is("_RINvC1a1fDB9_EL_E", "_RINvC1a1fDB9_EL_E"); /* a reference to a later part */
}

TEST(names_that_only_look_mangled)
{
    static const char *const names[] = {
        "",          "_",          "_Z",     "_R",
        "_RN",       "main",       "_RNvB_", "_RNvC",
        "_RB_",      "_RNvC9abc",  "_ZN",    "_ZN3a",
        "_ZN99999E", "_RINvC1a1b", "_R$",    "_RNvC3abc99999999999999999999x"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        is(names[i], names[i]);
}

/* Short names that would expand to endless text are cut, or left as they are; this takes no
 * time. */
TEST(endless_ones_end)
{
    char name[4096], out[4096];
    size_t n = (size_t)snprintf(name, sizeof name, "_RINvC1a1bTmmmmE");
    size_t at = 7; /* each tuple contains the one before several times */
    for (int i = 0; i < 24; i++) {
        size_t here = n - 2;
        n += (size_t)snprintf(name + n, sizeof name - n, "T");
        for (int k = 0; k < 4; k++) {
            static const char digits[] =
                "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
            size_t to = at - 1;
            if (to >= 62)
                n += (size_t)snprintf(name + n, sizeof name - n, "B%c%c_", digits[to / 62],
                                      digits[to % 62]);
            else
                n += (size_t)snprintf(name + n, sizeof name - n, "B%c_", digits[to]);
        }
        n += (size_t)snprintf(name + n, sizeof name - n, "E");
        at = here;
    }
    snprintf(name + n, sizeof name - n, "E");
    assert_ptr_equal(demangle(name, out, sizeof out), name);
    n = (size_t)snprintf(name, sizeof name, "_Z1fI");
    for (int i = 0; i < 700; i++)
        n += (size_t)snprintf(name + n, sizeof name - n, "S_IS_");
    demangle(name, out, sizeof out);
    memset(name, 'R', 4095); /* deep nesting */
    memcpy(name, "_RINvC1a1b", 10);
    name[4095] = '\0';
    assert_ptr_equal(demangle(name, out, sizeof out), name);
}
