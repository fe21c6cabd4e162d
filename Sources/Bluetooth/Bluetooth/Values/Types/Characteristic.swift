// A characteristic with the type of its value.
//
// The most common ones are in StandardCharacteristics.swift.

/// A characteristic, and how its value is decoded and encoded.
///
/// The ones that programs begin with have one, called like the characteristic:
///
/// ```swift
/// let level = try await connection.read(.batteryLevel)
/// for try await measured in connection.notifications(.heartRateMeasurement) {
///   print(measured.bpm, measured.rrIntervals ?? [])
/// }
/// try await connection.write("mild alert", to: .alertLevel)
/// ```
///
/// Every other one that the package knows decodes to fields, without a type:
///
/// ```swift
/// let selector = try CharacteristicSelector(parsing: "glucose-measurement")
/// let octets = try await connection.read(selector)
/// if let decode = StandardValues.decoder(for: selector.characteristic) {
///   print(try decode(octets))
/// }
/// ```
///
/// One of your own takes one line:
///
/// ```swift
/// extension Characteristic where Value == Int {
///   static var soilMoisture: Self { Self("3f0e0001-4b1d-4d5e-9a57-0b3c2f1a9d77", .u16) }
/// }
/// ```
public struct Characteristic<Value: Sendable>: Sendable {
  /// The characteristic; with its service, or as a handle, where the UUID alone is ambiguous.
  public let selector: CharacteristicSelector
  /// The decoder and encoder of the value.
  public let coding: ValueCoding<Value>

  /// Describes a characteristic.
  ///
  /// ```swift
  /// let moisture = Characteristic(
  ///   "3f0e0001-4b1d-4d5e-9a57-0b3c2f1a9d77", ValueCoding<Double>.steps(of: 0.01, in: .u16))
  /// let percent = try await connection.read(moisture)
  /// ```
  public init(_ selector: CharacteristicSelector, _ coding: ValueCoding<Value>) {
    self.selector = selector
    self.coding = coding
  }

  /// Decodes a value.
  ///
  /// For values that did not come from `read`, such as those of a recording.
  ///
  /// ```swift
  /// print(try Characteristic.batteryLevel.decode([87]))  // 87
  /// ```
  ///
  /// - Throws: ``MalformedValue``.
  public func decode(_ octets: [UInt8]) throws(MalformedValue) -> Value {
    do {
      return try coding.decode(octets)
    } catch {
      throw MalformedValue(selector, octets: octets, error)
    }
  }

  /// Encodes a value.
  ///
  /// ```swift
  /// print(try Characteristic.alertLevel.encode("mild alert"))  // [1]
  /// ```
  ///
  /// - Throws: ``MalformedValue``.
  public func encode(_ value: Value) throws(MalformedValue) -> [UInt8] {
    do {
      return try coding.encode(value)
    } catch {
      throw MalformedValue(selector, octets: nil, error)
    }
  }
}

extension Characteristic where Value: LayoutValue {
  /// A characteristic whose format the Bluetooth SIG defines.
  static func standard(_ short: UInt16) -> Self {
    guard let layout = StandardValues.layout(of: BluetoothUUID(short: short)) else {
      preconditionFailure("a characteristic without a layout: 0x\(String(short, radix: 16))")
    }
    let selector = CharacteristicSelector(characteristic: BluetoothUUID(short: short))
    return Self(selector, ValueCoding(layout))
  }
}

/// A value that is not in the format of its characteristic, or that cannot be encoded in it.
public struct MalformedValue: KnownFailure, Hashable, CustomStringConvertible {
  /// The characteristic.
  public let characteristic: CharacteristicSelector
  /// The value of the device; nil for one that cannot be encoded.
  public let octets: [UInt8]?
  /// The wrong field, and the reason.
  public let error: ValueError

  /// The error of a value that was read, or, without octets, of one that was to be written.
  public init(_ characteristic: CharacteristicSelector, octets: [UInt8]?, _ error: ValueError) {
    self.characteristic = characteristic
    self.octets = octets
    self.error = error
  }

  /// An invalid value.
  public var kind: FailureKind { .invalidValue(error) }

  /// The characteristic, and the reason.
  public var description: String {
    guard let octets else { return "\(error.field) of \(characteristic): \(error.problem)" }
    let value = octets.isEmpty ? "the empty value" : "0x" + octets.map(hexadecimal).joined()
    return "\(value) is not in the format of \(characteristic): \(error)"
  }
}
