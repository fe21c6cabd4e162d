// The values of standard characteristics and descriptors.

/// Decoders and encoders of values whose format the Bluetooth SIG defines.
///
/// A decoded quantity is a named field with a unit. Texts and named numbers have no field.
public enum StandardValues {
  /// Decodes octets to a value; the error names the invalid field.
  public typealias Decoder = @Sendable ([UInt8]) throws(ValueError) -> DecodedValue

  /// Encodes a value to octets; the error names the invalid field.
  ///
  /// It accepts every value that the decoder returns. A number between two steps is rounded.
  public typealias Encoder = @Sendable (DecodedValue) throws(ValueError) -> [UInt8]

  /// The decoder for a characteristic or descriptor; nil where there is none.
  ///
  /// ```swift
  /// if let decode = StandardValues.decoder(for: BluetoothUUID(short: 0x2a19)) {
  ///   print(try decode([87]))  // 87 %
  /// }
  /// ```
  public static func decoder(for uuid: BluetoothUUID) -> Decoder? {
    guard let layout = layout(of: uuid) else { return nil }
    return { octets throws(ValueError) in try layout.decode(octets) }
  }

  /// The encoder for a characteristic or descriptor; nil where there is none.
  ///
  /// ```swift
  /// if let encode = StandardValues.encoder(for: BluetoothUUID(short: 0x2a06)) {
  ///   print(try encode(.text("mild alert")))  // [1]
  /// }
  /// ```
  public static func encoder(for uuid: BluetoothUUID) -> Encoder? {
    guard let layout = layout(of: uuid) else { return nil }
    return { value throws(ValueError) in try layout.encode(value) }
  }

  /// The records of a notified value: several only where the format of the characteristic has the
  /// size of each record.
  package static func records(in octets: [UInt8], of uuid: BluetoothUUID) -> [[UInt8]] {
    layout(of: uuid)?.records(in: octets) ?? [octets]
  }

  /// The names of the fields that decoded values of a characteristic or descriptor can have.
  ///
  /// Empty where the value has no fields, or no standard format.
  ///
  /// ```swift
  /// print(StandardValues.fieldNames(of: BluetoothUUID(short: 0x2a37)))  // bpm and others
  /// ```
  public static func fieldNames(of uuid: BluetoothUUID) -> [String] {
    layout(of: uuid)?.fieldNames ?? []
  }

  /// The 16-bit UUIDs of everything that has a decoder, in ascending order.
  public static let shortUUIDs: [UInt16] = shorts.sorted()

  static func layout(of uuid: BluetoothUUID) -> ValueLayout? {
    uuid.short.flatMap { shorts.firstIndex(of: $0) }.map { layouts[$0].layout }
  }

  private static let layouts = families.flatMap { $0.value }
  private static let shorts = layouts.map { $0.short }

  /// The layouts of characteristics and of descriptors, by the file that they are in.
  static let families: KeyValuePairs<String, [(short: UInt16, layout: ValueLayout)]> = [
    "HeartRate": HeartRateValues.all, "Thermometer": ThermometerValues.all,
    "Battery": BatteryValues.all, "GenericAccess": GenericAccessValues.all,
    "Alert": AlertValues.all, "DeviceInformation": DeviceInformationValues.all,
    "BloodPressure": BloodPressureValues.all, "Glucose": GlucoseValues.all,
    "RecordAccess": RecordAccessValues.all, "Cycling": CyclingValues.all,
    "Running": RunningValues.all, "CyclingPower": CyclingPowerValues.all,
    "Environment": EnvironmentValues.all, "Air": AirValues.all, "Wind": WindValues.all,
    "Time": TimeValues.all, "TimeUpdate": TimeUpdateValues.all, "Weight": WeightValues.all,
    "BodyComposition": BodyCompositionValues.all, "Oximeter": OximeterValues.all,
    "GlucoseMonitoring": GlucoseMonitoringValues.all, "FitnessMachine": FitnessMachineValues.all,
    "FitnessMachineControl": FitnessMachineControlValues.all, "Descriptor": DescriptorValues.all,
  ]
}
