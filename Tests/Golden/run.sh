# run.sh CHAIN DEFINITION [OPTION...]: one run as text, with a checksum of what the bus carried.
chain=$1 definition=$2
shift 2
blerun run "$chain" --simulate "$definition" --bus-log "$T/bus" "$@"
echo "status $?, bus $(wc -l <"$T/bus") lines, $(cksum <"$T/bus")"
