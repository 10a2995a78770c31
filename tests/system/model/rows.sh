#!/bin/bash
# The PT model, row by row of the manual's table of packets (docs/model.md).
exec tests/model/rows/run.sh build
