#!/bin/bash
for i in $(seq 10); do echo $i; sleep 1; done; exit 5
