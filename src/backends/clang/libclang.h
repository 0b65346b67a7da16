/*
 * The part of libclang's C interface that rooftop uses. Its headers come only with a package of
 * 250 MB, and its binary interface is stable within libclang.so.13 and later: so the few structs
 * and functions are declared here, with the layout of clang-c/Index.h and clang-c/CXString.h
 * (LLVM 14 and 19), and the library is loaded when it is needed.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

struct cx_string {
    const void *data;
    unsigned private_flags;
};
struct cx_cursor {
    int kind, xdata;
    const void *data[3];
};
struct cx_type {
    int kind;
    void *data[2];
};
struct cx_location {
    const void *ptr_data[2];
    unsigned int_data;
};
struct cx_range {
    const void *ptr_data[2];
    unsigned begin_int_data, end_int_data;
};
struct cx_unsaved {
    const char *name, *contents;
    unsigned long length;
};
typedef int (*cx_visitor)(struct cx_cursor cursor, struct cx_cursor parent, void *data);

/* CXChildVisitResult, CXDiagnosticSeverity, CXErrorCode, CX_StorageClass, CXEvalResultKind */
enum { CX_CONTINUE = 1, CX_RECURSE = 2 };
enum { CX_ERROR = 3 };
enum { CX_EXTERN = 2, CX_STATIC = 3 };
enum { CX_EVAL_INT = 1 };

/* NAME(function without its prefix, result, parameters) */
#define LIBCLANG_FUNCTIONS(NAME)                                                                   \
    NAME(createIndex, void *, (int, int))                                                          \
    NAME(disposeIndex, void, (void *))                                                             \
    NAME(parseTranslationUnit2, int,                                                               \
         (void *, const char *, const char *const *, int, struct cx_unsaved *, unsigned, unsigned, \
          void **))                                                                                \
    NAME(disposeTranslationUnit, void, (void *))                                                   \
    NAME(getNumDiagnostics, unsigned, (void *))                                                    \
    NAME(getDiagnostic, void *, (void *, unsigned))                                                \
    NAME(disposeDiagnostic, void, (void *))                                                        \
    NAME(getDiagnosticSeverity, int, (void *))                                                     \
    NAME(getDiagnosticSpelling, struct cx_string, (void *))                                        \
    NAME(getDiagnosticLocation, struct cx_location, (void *))                                      \
    NAME(getCString, const char *, (struct cx_string))                                             \
    NAME(disposeString, void, (struct cx_string))                                                  \
    NAME(getTranslationUnitCursor, struct cx_cursor, (void *))                                     \
    NAME(visitChildren, unsigned, (struct cx_cursor, cx_visitor, void *))                          \
    NAME(getCursorLocation, struct cx_location, (struct cx_cursor))                                \
    NAME(getCursorExtent, struct cx_range, (struct cx_cursor))                                     \
    NAME(getRangeStart, struct cx_location, (struct cx_range))                                     \
    NAME(getRangeEnd, struct cx_location, (struct cx_range))                                       \
    NAME(getExpansionLocation, void,                                                               \
         (struct cx_location, void **, unsigned *, unsigned *, unsigned *))                        \
    NAME(getFileName, struct cx_string, (void *))                                                  \
    NAME(Location_isFromMainFile, int, (struct cx_location))                                       \
    NAME(getCursorSpelling, struct cx_string, (struct cx_cursor))                                  \
    NAME(getCursorType, struct cx_type, (struct cx_cursor))                                        \
    NAME(getCanonicalType, struct cx_type, (struct cx_type))                                       \
    NAME(getTypeSpelling, struct cx_string, (struct cx_type))                                      \
    NAME(isConstQualifiedType, unsigned, (struct cx_type))                                         \
    NAME(isVolatileQualifiedType, unsigned, (struct cx_type))                                      \
    NAME(getArrayElementType, struct cx_type, (struct cx_type))                                    \
    NAME(Type_getSizeOf, long long, (struct cx_type))                                              \
    NAME(getCursorReferenced, struct cx_cursor, (struct cx_cursor))                                \
    NAME(getCursorSemanticParent, struct cx_cursor, (struct cx_cursor))                            \
    NAME(Cursor_isNull, int, (struct cx_cursor))                                                   \
    NAME(Cursor_getStorageClass, int, (struct cx_cursor))                                          \
    NAME(Cursor_isFunctionInlined, unsigned, (struct cx_cursor))                                   \
    NAME(getCursorTLSKind, int, (struct cx_cursor))                                                \
    NAME(isCursorDefinition, unsigned, (struct cx_cursor))                                         \
    NAME(Cursor_Evaluate, void *, (struct cx_cursor))                                              \
    NAME(EvalResult_getKind, int, (void *))                                                        \
    NAME(EvalResult_getAsLongLong, long long, (void *))                                            \
    NAME(EvalResult_dispose, void, (void *))                                                       \
    NAME(getClangVersion, struct cx_string, (void))

struct libclang {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define NAME(name, result, parameters) result(*name) parameters;
    LIBCLANG_FUNCTIONS(NAME)
#undef NAME
};

/* The library, which the first call loads; never unloaded. NULL with err, which says what would
 * help. */
const struct libclang *libclang_open(struct error *err);
/* The file that would be loaded, for doctor; NULL: none. The caller frees it. */
char *libclang_found(void);
