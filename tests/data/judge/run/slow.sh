#!/bin/sh
i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo ok $i
