#!/bin/sh
echo wrong
