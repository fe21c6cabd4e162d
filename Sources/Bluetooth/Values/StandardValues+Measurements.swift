// Measurements with flags: temperature and heart rate.

extension StandardValues {
  /// Fields `celsius` (always), `fahrenheit` when sent so, `timestamp`, `type`.
  ///
  /// - Source: Health Thermometer Service 1.0, §3.1; GATT Specification Supplement, "Temperature
  ///   Measurement".
  static let temperatureMeasurement: Decoder = { octets throws(ValueError) in
    var reader = OctetReader(octets)
    let flags = try reader.byte("flags")
    let bits = UInt32(try reader.unsigned(4, "temperature"))
    let sent = MedicalFloat.float(bits)
    let decimals = MedicalFloat.decimals(bits)
    var fields: [DecodedValue.Field] = []
    if flags & 1 == 0 {
      fields.append(.init("celsius", .real(sent, decimals: decimals), unit: "°C"))
    } else {
      let celsius = (sent - 32) * 5 / 9
      fields.append(.init("celsius", .real(celsius, decimals: max(1, decimals)), unit: "°C"))
      fields.append(.init("fahrenheit", .real(sent, decimals: decimals), unit: "°F"))
    }
    if flags & 2 != 0 { fields.append(.init("timestamp", .text(try timestamp(&reader)))) }
    if flags & 4 != 0 {
      fields.append(.init("type", .text(name(try reader.byte("type"), temperatureTypes))))
    }
    try reader.end("temperature measurement")
    return .fields(fields)
  }

  /// `2026-01-31 23:59:00`. A zero year, month or day is not known.
  ///
  /// - Source: GATT Specification Supplement, "Date Time".
  private static func timestamp(_ reader: inout OctetReader) throws(ValueError) -> String {
    let year = try reader.uint16("timestamp")
    var parts: [String] = []
    for _ in 0..<5 {
      let number = try reader.byte("timestamp")
      parts.append((number < 10 ? "0" : "") + "\(number)")
    }
    return "\(year)-\(parts[0])-\(parts[1]) \(parts[2]):\(parts[3]):\(parts[4])"
  }

  /// Fields `bpm`, `contact` when the sensor tells, `energyExpended` in kJ, `rrIntervals` in s.
  ///
  /// - Source: Heart Rate Service 1.0, §3.1.
  static let heartRateMeasurement: Decoder = { octets throws(ValueError) in
    var reader = OctetReader(octets)
    let flags = try reader.byte("flags")
    let rate = flags & 1 == 0 ? UInt16(try reader.byte("bpm")) : try reader.uint16("bpm")
    var fields: [DecodedValue.Field] = [.init("bpm", .integer(Int64(rate)), unit: "bpm")]
    if flags & 4 != 0 { fields.append(.init("contact", .boolean(flags & 2 != 0))) }
    if flags & 8 != 0 {
      let energy = try reader.uint16("energyExpended")
      fields.append(.init("energyExpended", .integer(Int64(energy)), unit: "kJ"))
    }
    if flags & 16 != 0 {
      var intervals: [DecodedValue] = []
      while !reader.isAtEnd {
        let interval = try reader.uint16("rrIntervals")
        intervals.append(.real(Double(interval) / 1024, decimals: 3))
      }
      fields.append(.init("rrIntervals", .list(intervals), unit: "s"))
    }
    try reader.end("heart rate measurement")
    return .fields(fields)
  }
}
