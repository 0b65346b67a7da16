/*
 * What two builds of one source differ in. Of an ELF file (64 bits, little endian, linked: shared
 * objects, programs, code objects of GPUs) that counts which its program headers name, because
 * loaders go by these: debug information, notes of compilers, tables of sections and, on CPUs, of
 * symbols that are not loaded may differ, and of what is loaded the build ID. Of any other file
 * each byte counts.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { BUILD_DIFFERENCE = 200 };

enum build_relation {
    BUILD_SAME,      /* each byte */
    BUILD_EXPLAINED, /* what is loaded is the same */
    BUILD_OTHER
};

/* why: of BUILD_EXPLAINED the sections that differ, ".debug_str, .note.gnu.build-id"; of
 * BUILD_OTHER the first place, "byte 4377, in .text of saxpy"; else "". */
enum build_relation build_compare(const void *a, size_t na, const void *b, size_t nb,
                                  char why[BUILD_DIFFERENCE]);
/* A hash of the bytes that count: two builds have the same hash unless they are BUILD_OTHER.
 * Never 0. */
uint64_t build_hash(const void *bytes, size_t n);
