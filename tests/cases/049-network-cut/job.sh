#!/bin/bash
echo run >> "$RUNS"; sleep 1; date +%s > "$DONE"; exit 4
