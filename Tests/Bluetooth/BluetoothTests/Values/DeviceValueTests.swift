// Values of the device itself: names, identifiers, battery, alerts; and descriptors.

import Bluetooth
import Testing

@Suite("Values of the device and its descriptors")
struct DeviceValueTests {
  @Test(
    "device values are decoded and printed",
    arguments: [
      ValueVector(0x2a00, Array("Thermo-1".utf8), "Thermo-1"),
      ValueVector(0x2a00, [], ""),
      // 6 × 1.25 ms, 0x0c80 = 3200 × 1.25 ms, latency 4, 0x01f4 = 500 × 10 ms.
      ValueVector(
        0x2a04,
        [6, 0, 0x80, 0x0c, 4, 0, 0xf4, 0x01],
        "shortest-interval 7.50 ms, longest-interval 4000.00 ms, latency 4, 5.00 s"
      ),
      ValueVector(
        0x2a04,
        [0xff, 0xff, 0xff, 0xff, 0, 0, 0xff, 0xff],
        "shortest-interval any, longest-interval any, latency 0, timeout any"
      ),
      ValueVector(0x2a05, [1, 0, 0xff, 0xff], "first 1, last 65535"),
      ValueVector(0x2aa6, [1], "supported"),
      ValueVector(0x2ac9, [0], "yes"),
      ValueVector(
        0x2b29,
        [5],
        "robust-caching yes, enhanced-att no, multiple-notifications yes"
      ),
      ValueVector(0x2b3a, [1, 0x80], "enhanced-att yes, further 80"),
      ValueVector(
        0x2b2a,
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        "000102030405060708090a0b0c0d0e0f"
      ),
      ValueVector(0x2a06, [2], "high alert"),
      ValueVector(0x2a07, [0xec], "-20 dBm"), ValueVector(0x2a07, [4], "4 dBm"),
      ValueVector(0x2a24, Array("T 1000".utf8), "T 1000"),
      ValueVector(0x2a25, Array("0042".utf8), "0042"),
      ValueVector(0x2a26, Array("1.2.3".utf8), "1.2.3"),
      ValueVector(0x2a27, Array("rev B".utf8), "rev B"),
      ValueVector(0x2a28, Array("β".utf8), "β"),
      // Some devices end their texts with NULs, which are not sent back.
      ValueVector(0x2a29, Array("ACME".utf8) + [0, 0], "ACME", encoded: Array("ACME".utf8)),
      // 40 bits 0x9abcdefffe = 664 593 694 718 below 24 bits 0x123456 = 1 193 046.
      ValueVector(
        0x2a23,
        [0xfe, 0xff, 0xde, 0xbc, 0x9a, 0x56, 0x34, 0x12],
        "manufacturer 664593694718, organization 1193046"
      ),
      // Source 1, vendor 0x0059 = 89, product 0x0102 = 258, version 0x0100 = 256.
      ValueVector(
        0x2a50,
        [1, 0x59, 0, 0x02, 0x01, 0x00, 0x01],
        "source Bluetooth, vendor 89, product 258, version 256"
      ),
      ValueVector(0x2a2a, [0, 1, 0xfe], "0001fe"),
      ValueVector(0x2a19, [100], "100 %"),
    ]
  )
  func device(vector: ValueVector) throws { try vector.check() }

  @Test(
    "battery level status is decoded and printed",
    arguments: [
      // Flags 0; 0x0000.
      ValueVector(
        0x2bed,
        [0, 0, 0],
        "present no, wired-power not connected, wireless-power not connected, "
          + "charge-state unknown, charge-level unknown, "
          + "charging-type unknown or not charging, charging-fault none"
      ),
      // All flags. 0x12a3 = 0001 0010 1010 0011: bit 0; bits 1-2: 1; bits 3-4: 0; bits 5-6: 1;
      // bits 7-8: 1; bits 9-11: 1; bits 12-14: 1. Identifier 0x0106; 77 %; 0x05: 1, and bit 2.
      ValueVector(
        0x2bed,
        [7, 0xa3, 0x12, 0x06, 0x01, 77, 0x05],
        "present yes, wired-power connected, wireless-power not connected, "
          + "charge-state charging, charge-level good, charging-type constant current, "
          + "charging-fault battery, identifier 262, 77 %, service-required yes, "
          + "battery-fault yes"
      ),
    ]
  )
  func batteryStatus(vector: ValueVector) throws { try vector.check() }

  @Test(
    "descriptors are decoded and printed",
    arguments: [
      ValueVector(0x2900, [3, 0], "reliable-write yes, writable-auxiliaries yes"),
      ValueVector(0x2901, Array("Température".utf8), "Température"),
      ValueVector(0x2902, [0, 0], "off"), ValueVector(0x2902, [1, 0], "notifications"),
      ValueVector(0x2902, [2, 0], "indications"),
      ValueVector(0x2902, [3, 0], "notifications, indications"),
      ValueVector(0x2902, [4, 0], "reserved (4)"),
      ValueVector(0x2903, [1, 0], "broadcast yes"),
      // Format 0x0e, exponent 0xfe = -2, unit 0x272f, namespace 1, description 0.
      ValueVector(
        0x2904,
        [0x0e, 0xfe, 0x2f, 0x27, 1, 0, 0],
        "format i16, exponent -2, unit °C, namespace Bluetooth SIG, description 0"
      ),
      ValueVector(
        0x2904,
        [0x1d, 0, 0xff, 0x27, 0, 2, 1],
        "format reserved (29), exponent 0, unit reserved (10239), namespace reserved (0), "
          + "description 258"
      ),
      ValueVector(0x2906, [0x01, 0x00, 0x3c, 0x00], "lower 0100, upper 3c00"),
      ValueVector(0x2907, [0x19, 0x2a], "uuid 10777"),
      ValueVector(0x2908, [4, 1], "report 4, type input"),
      ValueVector(0x2909, [8], "digitals 8"),
    ]
  )
  func descriptors(vector: ValueVector) throws { try vector.check() }

  @Test(
    "a malformed value throws an error with the field and the offset",
    arguments: [
      MalformedVector(0x2a04, [6, 0, 6], "longest-interval, byte 2: expected 2 bytes, found 1"),
      MalformedVector(0x2a00, [0x41, 0xff], "text, byte 0: invalid UTF-8", isOutOfRange: true),
      MalformedVector(0x2a07, [], "dbm, byte 0: expected 1 byte, found 0"),
      MalformedVector(0x2a23, [1, 2], "manufacturer, byte 0: expected 5 bytes, found 2"),
      MalformedVector(0x2a50, [1, 2, 3, 4], "product, byte 3: expected 2 bytes, found 1"),
      MalformedVector(0x2bed, [2, 0, 0], "percent, byte 3: expected 1 byte, found 0"),
      MalformedVector(0x2902, [1], "configuration, byte 0: expected 2 bytes, found 1"),
      MalformedVector(0x2904, [1, 2, 3], "unit, byte 2: expected 2 bytes, found 1"),
      MalformedVector(
        0x2906,
        [1, 2, 3],
        "lower, byte 0: expected an even number of bytes, found 3"
      ),
    ]
  )
  func malformed(vector: MalformedVector) throws { try vector.check() }
}
