#!/bin/sh
# Makes the code objects of this folder again, from tests/platform/gpu/kernels and typed.hip. They differ from the
# committed ones where the compiler is another.
set -eu
cd "$(dirname "$0")"
kernels=../../../platform/gpu/kernels
one() { # SOURCE ISA VERSION OUT [FLAG...]
    source=$1 isa=$2 version=$3 out=$4
    shift 4
    "${DEVICE_CC:-clang-19}" -x hip --cuda-device-only --no-gpu-bundle-output --offload-arch="$isa" -nogpulib -nogpuinc -O2 \
        -mcode-object-version="$version" -I$kernels -fdebug-prefix-map="$PWD"=. -fdebug-compilation-dir=. -cuid=rooftop "$@" "$source" -o "$out"
}
one $kernels/reduce.hip gfx942 5 reduce.gfx942.v5.hsaco
one $kernels/memory.hip gfx90a 5 memory.gfx90a.v5.hsaco
one $kernels/vector.hip gfx90a:sramecc+:xnack- 4 vector.gfx90a.v4.hsaco
one $kernels/vector.hip gfx9-generic 6 vector.gfx9.v6.hsaco
one typed.hip gfx942 5 typed.gfx942.v5.hsaco -g
# Header version 3 takes a bundler of clang 21 or later; Debian has them in clang-tools-N.
two() { # BUNDLER OUT
    "$1" -compress -type=o -output="$2" \
        -targets=host-x86_64-unknown-linux--,hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-,hipv4-amdgcn-amd-amdhsa--gfx942 \
        -input=/dev/null -input=vector.gfx90a.v4.hsaco -input=reduce.gfx942.v5.hsaco
}
two "${BUNDLER_V2:-clang-offload-bundler-19}" two.v2.ccob
two "${BUNDLER_V3:-clang-offload-bundler-22}" two.v3.ccob
