// Vendor services that are common in practice.
//
// Data only. The source is named beside the UUIDs.

extension AssignedNumbers {
  static let vendorServices: [VendorNames] = [
    // nRF Connect SDK: nus.h, lbs.h. Nordic DFU: "Bootloader, DFU BLE protocol".
    VendorNames(
      "Nordic",
      [
        "6e400001-b5a3-f393-e0a9-e50e24dcca9e": "UART",
        "00001523-1212-efde-1523-785feabcd123": "LED and Button",
        "00001530-1212-efde-1523-785feabcd123": "Legacy DFU",
        "fe59": "Secure DFU",
      ]
    ),
    // Thingy:52 firmware architecture.
    VendorNames(
      "Thingy",
      "ef680",
      "00-9b35-4933-9b10-52ffa9740042",
      ["1": "Configuration", "2": "Weather Station", "3": "UI", "4": "Motion", "5": "Sound"]
    ),
    // MCUmgr: SMP over Bluetooth.
    VendorNames("MCUmgr", ["8d53dc1d-1db7-4cd3-868b-8a527460aa84": "SMP"]),
    // Eddystone protocol specification; Fast Pair specification.
    VendorNames(
      "Google",
      [
        "feaa": "Eddystone",
        "a3c87500-8ed3-4bdf-8a39-a01bebede295": "Eddystone Configuration",
        "fe2c": "Fast Pair",
      ]
    ),
    // Apple Notification Center Service; Apple Media Service.
    VendorNames(
      "Apple",
      [
        "7905f431-b5ce-4e99-a40f-4b1e122d00d0": "Notification Center",
        "89d3502b-0f36-433a-8ef4-c502ad55f8dc": "Media",
      ]
    ),
    // SensorTag User's Guide, of CC2541 and CC2650.
    VendorNames(
      "SensorTag",
      "f000",
      "-0451-4000-b000-000000000000",
      [
        "aa00": "Infrared Temperature", "aa10": "Accelerometer", "aa20": "Humidity",
        "aa30": "Magnetometer", "aa40": "Barometer", "aa50": "Gyroscope", "aa64": "IO",
        "aa70": "Luxometer", "aa80": "Movement", "ccc0": "Connection Control",
        "ffc0": "Over-the-Air Download",
      ]
    ),
    // micro:bit Bluetooth profile.
    VendorNames(
      "micro:bit",
      "e95d",
      "-251d-470a-a062-fa1922dfa9a8",
      [
        "0753": "Accelerometer", "f2d8": "Magnetometer", "9882": "Button", "127b": "IO Pin",
        "d91d": "LED", "93af": "Event", "93b0": "DFU Control", "6100": "Temperature",
      ]
    ),
  ]
}
