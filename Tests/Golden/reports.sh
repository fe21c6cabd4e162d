# reports.sh CHAIN DEFINITION: one run, in all forms.
blerun run "$1" --simulate "$2" --seed 5 --output json --journal "$T/j" --bus-log "$T/bus" \
  --report "$T/r.txt" --report "$T/r.xml" --report "$T/r.tap" --report "$T/r.csv" --report "$T/r.html" >"$T/out"
echo "status $?"
for each in out r.txt r.xml r.tap r.csv; do echo "-- $each"; cat "$T/$each"; done
blerun history export 1 --journal "$T/j" >"$T/export"
echo "-- history export"
# A chain's is what was printed; a suite's is in the words of chains.
cmp -s "$T/export" "$T/out" && echo "as printed" || cat "$T/export"
echo "-- history show"
blerun history show 1 --journal "$T/j"
# Of the page what it shows: not its style, its script and their hashes.
sed -i -e '/^<style>/,/<\/style>$/d' -e '/^<script>/,/<\/script>$/d' -e '/Content-Security-Policy/d' "$T/r.html"
for each in r.html bus; do echo "-- $each: $(wc -l <"$T/$each") lines, $(cksum <"$T/$each")"; done
