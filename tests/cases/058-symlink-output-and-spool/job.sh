#!/bin/bash
echo data; echo data >&2
