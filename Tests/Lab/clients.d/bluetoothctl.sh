# bluetoothctl, told over its standard input: a scan, a link, attributes, sockets, trust, power.
command -v bluetoothctl >/dev/null || exit 77
device=C0:FF:EE:00:00:01
echo_of=6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40
{
  sleep 1
  while read -r pause line; do
    echo "$line"
    sleep "$pause"
  done <<STEPS
2 scan le
1 scan off
0.2 devices
0.5 info $device
3 connect $device
0.5 info $device
0.2 menu gatt
0.5 list-attributes $device
0.3 select-attribute 00002a19-0000-1000-8000-00805f9b34fb
0.5 read
0.3 attribute-info
0.3 select-attribute $echo_of
0.4 notify on
0.6 write "0x41 0x42"
0.4 notify off
0.5 read
0.4 acquire-write
0.4 write "0x43"
0.4 release-write
0.5 acquire-notify
0.6 write "0x44 0x45"
0.5 release-notify
0.2 back
0.3 trust $device
0.3 untrust $device
3 block $device
0.5 unblock $device
0.3 show
3 disconnect $device
0.5 remove $device
0.5 power off
0.5 power on
0.3 quit
STEPS
} | bluetoothctl 2>&1 | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g; s/\r/\n/g; s/\x01\|\x02//g'
