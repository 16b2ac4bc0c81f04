#!/bin/bash
sleep 2
