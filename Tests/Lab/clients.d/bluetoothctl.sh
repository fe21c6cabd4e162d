# bluetoothctl, told over its standard input: a scan, a link, attributes, sockets, trust, power.
command -v bluetoothctl >/dev/null || exit 77
device=C0:FF:EE:00:00:01
echo_of=6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40
{
  sleep 3
  while read -r pause line; do
    echo "$line"
    sleep "$pause"
  done <<STEPS
3 scan le
2 scan off
0.5 devices
0.5 info $device
5 connect $device
0.5 info $device
0.5 menu gatt
0.5 list-attributes $device
0.5 select-attribute 00002a19-0000-1000-8000-00805f9b34fb
1 read
0.5 attribute-info
0.5 select-attribute $echo_of
1 notify on
1 write "0x41 0x42"
1 notify off
1 read
1 acquire-write
1 write "0x43"
1 release-write
1 acquire-notify
1 write "0x44 0x45"
1 release-notify
0.5 back
1 trust $device
1 untrust $device
5 block $device
1 unblock $device
0.5 show
5 disconnect $device
1 remove $device
1 power off
1 power on
1 quit
STEPS
} | bluetoothctl 2>&1 | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g; s/\r/\n/g; s/\x01\|\x02//g'
