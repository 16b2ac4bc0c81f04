#!/bin/bash
echo begun
for ((i=0;i<400;i++)); do [ -e go ] && break; sleep .1; done
echo ended
