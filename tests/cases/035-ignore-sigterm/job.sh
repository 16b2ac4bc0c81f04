#!/bin/bash
trap '' TERM INT HUP QUIT USR1 USR2 PIPE CONT
echo up; while :; do sleep $NAP & wait $!; done
