#!/bin/sh
out=$("$1") || exit 3
case $out in ok*) exit 0;; *) echo "it said: $out"; exit 4;; esac
