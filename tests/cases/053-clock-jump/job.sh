#!/bin/bash
sleep 12
