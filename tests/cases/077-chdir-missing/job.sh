#!/bin/bash
pwd; touch "$HERE"
