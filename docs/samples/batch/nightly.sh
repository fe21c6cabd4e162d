#!/bin/sh
# Runs a chain on all sensors. For cron: it prints only what somebody must know, and exits as blerun does.
#
#   ./nightly.sh                            the sensors in range
#   ./nightly.sh --simulate sensors.yaml    simulated ones
set -eu
cd "$(dirname "$0")"
mkdir -p reports

blerun check chain.yaml batch.yaml >reports/check.txt || { cat reports/check.txt; exit 65; }

status=0
blerun batch batch.yaml --report reports/nightly.html --report reports/nightly.csv "$@" >reports/nightly.txt 2>&1 ||
  status=$?
case $status in
  0) ;;
  75) echo "Some sensors were out of range or busy; the next run tries them again." ;;
  69) echo "This host cannot use Bluetooth now:"; blerun doctor || true ;;
  *) echo "Some sensors need attention:"; cat reports/nightly.txt ;;
esac
exit $status
