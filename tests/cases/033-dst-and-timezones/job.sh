#!/bin/bash
date +%s; sleep 3; date +%s
