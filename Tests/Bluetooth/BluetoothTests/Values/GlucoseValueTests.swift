// Glucose measurements, their context, and the commands to the meter's records.

import Bluetooth
import Testing

@Suite("Values of the Glucose service")
struct GlucoseValueTests {
  @Test(
    "glucose measurements are decoded and printed",
    arguments: [
      // Flags 0; sequence 1; 2026-01-02 03:04:05.
      ValueVector(
        0x2a18,
        [0, 1, 0, 0xea, 0x07, 1, 2, 3, 4, 5],
        "sequence 1, time 2026-01-02 03:04:05, context-follows no"
      ),
      // Bits 0 and 1, kg/L: offset -60 min (0xffc4), SFLOAT 0xb05a: 90 × 10^-5 = 0.00090 kg/L,
      // which is 90 mg/dL; nibbles 1 (type, low) and 1 (location, high).
      ValueVector(
        0x2a18,
        [0x03, 2, 0, 0xea, 0x07, 1, 2, 3, 4, 5, 0xc4, 0xff, 0x5a, 0xb0, 0x11],
        "sequence 2, time 2026-01-02 03:04:05, -60 min, 90 mg/dL, 0.00090 kg/L, "
          + "type capillary whole blood, location finger, context-follows no"
      ),
      // Bits 1 to 4, mol/L: 0xc037 is 55 × 10^-4 = 0.0055 mol/L, 5.5 mmol/L; type 9,
      // location 15; status 0x0821: bits 0, 5 and 11.
      ValueVector(
        0x2a18,
        [0x1e, 3, 0, 0xea, 0x07, 1, 2, 3, 4, 5, 0x37, 0xc0, 0xf9, 0x21, 0x08],
        "sequence 3, time 2026-01-02 03:04:05, 5.5 mmol/L, 0.0055 mol/L, "
          + "type interstitial fluid, location not available, "
          + "status battery low, result too high, time fault, context-follows yes"
      ),
      // The offset 0x7fff is an overrun. Bit 2, the unit, means nothing without bit 1.
      ValueVector(
        0x2a18, [0x05, 4, 0, 0xea, 0x07, 1, 2, 3, 4, 5, 0xff, 0x7f],
        "sequence 4, time 2026-01-02 03:04:05, offset overrun, context-follows no",
        encoded: [0x01, 4, 0, 0xea, 0x07, 1, 2, 3, 4, 5, 0xff, 0x7f]
      ),
    ]
  )
  func measurements(vector: ValueVector) throws { try vector.check() }

  @Test("a converted number is rounded to the decimals of its format")
  func decimals() throws {
    let decode = try #require(StandardValues.decoder(for: BluetoothUUID(short: 0x2a18)))
    // SFLOAT 0xb00e: 14 × 10^-5 kg/L.
    let value = try decode([0x02, 2, 0, 0xea, 0x07, 1, 2, 3, 4, 5, 0x0e, 0xb0, 0x11])
    #expect(value["milligrams-per-decilitre"]?.number == 14)
  }

  @Test(
    "glucose contexts and features are decoded and printed",
    arguments: [
      ValueVector(0x2a34, [0, 7, 0], "sequence 7"),
      // Bits 0 and 1: lunch, 0xd032 = 50 × 10^-3 kg = 50 g; after the meal.
      ValueVector(
        0x2a34,
        [0x03, 7, 0, 2, 0x32, 0xd0, 2],
        "sequence 7, carbohydrate lunch, 50 g, 0.050 kg, meal after meal"
      ),
      // Bits 2 and 3: tester 1 (low), health 5 (high); 1800 s (0x0708) at 60 %.
      ValueVector(
        0x2a34,
        [0x0c, 7, 0, 0x51, 0x08, 0x07, 60],
        "sequence 7, tester self, health no issues, 1800 s, exercise-intensity 60 %"
      ),
      // Bit 4: 0xa005 = 5 × 10^-6 kg = 5 mg of insulin 1.
      ValueVector(
        0x2a34,
        [0x10, 7, 0, 1, 0x05, 0xa0],
        "sequence 7, medication rapid acting insulin, 5 mg, 0.000005 kg"
      ),
      // Bits 4 and 5: 0xc014 = 20 × 10^-4 L = 2.0 mL of insulin 4. Bit 6: 0xf041 = 6.5 %.
      // Bit 7: an octet of further flags.
      ValueVector(
        0x2a34,
        [0xf0, 7, 0, 0xaa, 4, 0x14, 0xc0, 0x41, 0xf0],
        "sequence 7, extended-flags aa, medication long acting insulin, 2.0 mL, 0.0020 L, "
          + "hba1c 6.5 %"
      ),
      // Bits 0 and 10.
      ValueVector(
        0x2a51,
        [0x01, 0x04],
        "low-battery yes, sensor-malfunction no, sample-size no, strip-insertion no, "
          + "strip-type no, result-range no, temperature-range no, read-interrupt no, "
          + "device-fault no, time-fault no, multiple-bonds yes"
      ),
    ]
  )
  func contexts(vector: ValueVector) throws { try vector.check() }

  @Test(
    "record access values are decoded and printed",
    arguments: [
      // Op code, operator.
      ValueVector(0x2a52, [1, 1], "procedure report records, operator all records"),
      ValueVector(0x2a52, [3, 0], "procedure abort, operator none"),
      // Filter 1, sequence number from 5.
      ValueVector(
        0x2a52,
        [4, 3, 1, 5, 0],
        "procedure count records, operator at least, filter sequence number, operand 0500"
      ),
      // From 2 to 9.
      ValueVector(
        0x2a52,
        [2, 4, 1, 2, 0, 9, 0],
        "procedure delete records, operator within, filter sequence number, operand 02000900"
      ),
      // 0x0102 = 258 records.
      ValueVector(0x2a52, [5, 0, 2, 1], "procedure record count, operator none, records 258"),
      ValueVector(
        0x2a52,
        [6, 0, 1, 6],
        "procedure response, operator none, request report records, result no records found"
      ),
      ValueVector(
        0x2a52,
        [9, 0, 1],
        "procedure reserved (9), operator none, parameter 01"
      ),
    ]
  )
  func records(vector: ValueVector) throws { try vector.check() }

  @Test(
    "a malformed value throws an error with the field and the offset",
    arguments: [
      MalformedVector(0x2a18, [0, 1, 0, 0xea], "time, byte 3: expected 2 bytes, found 1"),
      MalformedVector(
        0x2a18,
        [2, 1, 0, 0xea, 7, 1, 2, 3, 4, 5, 0x5a, 0xb0],
        "type and location, byte 12: expected 1 byte, found 0"
      ),
      MalformedVector(
        0x2a34,
        [1, 7, 0, 2, 0],
        "carbohydrate-kilograms, byte 4: expected 2 bytes, found 1"
      ),
      MalformedVector(0x2a51, [1], "features, byte 0: expected 2 bytes, found 1"),
      MalformedVector(0x2a52, [], "procedure, byte 0: expected 1 byte, found 0"),
      MalformedVector(0x2a52, [5, 0, 1], "records, byte 2: expected 2 bytes, found 1"),
    ]
  )
  func malformed(vector: MalformedVector) throws { try vector.check() }
}
