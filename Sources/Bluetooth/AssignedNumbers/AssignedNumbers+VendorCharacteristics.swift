// Characteristics of vendor services that are common in practice.
//
// Data only. The source is named beside the UUIDs.

extension AssignedNumbers {
  static let vendorCharacteristics: [VendorNames] =
    nordicCharacteristics + thingyCharacteristics + otherCharacteristics
    + sensorTagCharacteristics + microbitCharacteristics

  /// RX is what the device receives, TX what it sends.
  private static let nordicCharacteristics = [
    // nRF Connect SDK: nus.h, lbs.h. Nordic DFU: "Bootloader, DFU BLE protocol".
    VendorNames(
      "Nordic",
      [
        "6e400002-b5a3-f393-e0a9-e50e24dcca9e": "UART RX",
        "6e400003-b5a3-f393-e0a9-e50e24dcca9e": "UART TX",
        "00001524-1212-efde-1523-785feabcd123": "Button State",
        "00001525-1212-efde-1523-785feabcd123": "LED State",
        "00001531-1212-efde-1523-785feabcd123": "Legacy DFU Control Point",
        "00001532-1212-efde-1523-785feabcd123": "Legacy DFU Packet",
        "00001534-1212-efde-1523-785feabcd123": "Legacy DFU Version",
        "8ec90001-f315-4f60-9fb8-838830daea50": "DFU Control Point",
        "8ec90002-f315-4f60-9fb8-838830daea50": "DFU Packet",
        "8ec90003-f315-4f60-9fb8-838830daea50": "Buttonless DFU Without Bonds",
        "8ec90004-f315-4f60-9fb8-838830daea50": "Buttonless DFU With Bonds",
      ]
    )
  ]

  private static let thingyCharacteristics = [
    // Thingy:52 firmware architecture.
    VendorNames(
      "Thingy",
      "ef680",
      "-9b35-4933-9b10-52ffa9740042",
      [
        "101": "Device Name", "102": "Advertising Parameters", "104": "Connection Parameters",
        "105": "Eddystone URL", "106": "Cloud Token", "107": "Firmware Version",
        "108": "MTU Request", "201": "Temperature", "202": "Pressure", "203": "Humidity",
        "204": "Air Quality", "205": "Color", "206": "Weather Station Configuration",
        "301": "LED State", "302": "Button State", "303": "External Pin",
        "401": "Motion Configuration", "402": "Tap", "403": "Orientation", "404": "Quaternion",
        "405": "Pedometer", "406": "Raw Data", "407": "Euler", "408": "Rotation Matrix",
        "409": "Heading", "40a": "Gravity Vector", "501": "Sound Configuration",
        "502": "Speaker Data", "503": "Speaker Status", "504": "Microphone",
      ]
    )
  ]

  private static let otherCharacteristics = [
    // MCUmgr: SMP over Bluetooth.
    VendorNames("MCUmgr", ["da2e7828-fbce-4e01-ae9e-261174997c48": "SMP"]),
    // Apple Notification Center Service; Apple Media Service.
    VendorNames(
      "Apple",
      [
        "9fbf120d-6301-42d9-8c58-25e699a21dbd": "Notification Source",
        "69d1d8f3-45e1-49a8-9821-9bbdfdaad9d9": "Control Point",
        "22eac6e9-24d6-4bb5-be44-b36ace7c7bfb": "Data Source",
        "9b3c81d8-57b1-4a8a-b8df-0e56f7ca51c2": "Remote Command",
        "2f7cabce-808d-411f-9a0c-bb92ba96c102": "Entity Update",
        "c6b2f38c-23ab-46d8-a6ab-a3a870bbd5d7": "Entity Attribute",
      ]
    ),
    // Eddystone Configuration GATT Service.
    VendorNames(
      "Eddystone",
      "a3c875",
      "-8ed3-4bdf-8a39-a01bebede295",
      [
        "01": "Capabilities", "02": "Active Slot", "03": "Advertising Interval",
        "04": "Radio Tx Power", "05": "Advanced Advertised Tx Power", "06": "Lock State",
        "07": "Unlock", "08": "Public ECDH Key", "09": "EID Identity Key",
        "0a": "ADV Slot Data", "0b": "Advanced Factory Reset",
        "0c": "Advanced Remain Connectable",
      ]
    ),
  ]

  private static let sensorTagCharacteristics = [
    // SensorTag User's Guide, of CC2541 and CC2650.
    VendorNames(
      "SensorTag",
      "f000",
      "-0451-4000-b000-000000000000",
      [
        "aa01": "Infrared Temperature Data", "aa02": "Infrared Temperature Configuration",
        "aa03": "Infrared Temperature Period", "aa11": "Accelerometer Data",
        "aa12": "Accelerometer Configuration", "aa13": "Accelerometer Period",
        "aa21": "Humidity Data", "aa22": "Humidity Configuration", "aa23": "Humidity Period",
        "aa31": "Magnetometer Data", "aa32": "Magnetometer Configuration",
        "aa33": "Magnetometer Period", "aa41": "Barometer Data",
        "aa42": "Barometer Configuration", "aa43": "Barometer Calibration",
        "aa44": "Barometer Period", "aa51": "Gyroscope Data",
        "aa52": "Gyroscope Configuration", "aa53": "Gyroscope Period", "aa65": "IO Data",
        "aa66": "IO Configuration", "aa71": "Luxometer Data",
        "aa72": "Luxometer Configuration", "aa73": "Luxometer Period",
        "aa81": "Movement Data", "aa82": "Movement Configuration", "aa83": "Movement Period",
        "ccc1": "Connection Parameters", "ccc2": "Connection Parameters Request",
        "ccc3": "Disconnect Request", "ffc1": "Image Identify", "ffc2": "Image Block",
      ]
    )
  ]

  private static let microbitCharacteristics = [
    // micro:bit Bluetooth profile.
    VendorNames(
      "micro:bit",
      "e95d",
      "-251d-470a-a062-fa1922dfa9a8",
      [
        "ca4b": "Accelerometer Data", "fb24": "Accelerometer Period",
        "fb11": "Magnetometer Data", "386c": "Magnetometer Period",
        "9715": "Magnetometer Bearing", "da90": "Button A State", "da91": "Button B State",
        "8d00": "Pin Data", "5899": "Pin AD Configuration", "b9fe": "Pin IO Configuration",
        "d822": "PWM Control", "7b77": "LED Matrix State", "93ee": "LED Text",
        "0d2d": "Scrolling Delay", "b84c": "Requirements", "9775": "Event",
        "23c4": "Client Requirements", "5404": "Client Event", "93b1": "DFU Control",
        "9250": "Temperature", "1b25": "Temperature Period",
      ]
    )
  ]
}
