// Characteristics whose value has a Swift type.

/// A characteristic with the type of its value.
public struct StandardCharacteristic<Value: Sendable>: Sendable {
  /// The UUID of the characteristic.
  public let uuid: BluetoothUUID
  let decode: @Sendable ([UInt8]) throws -> Value

  /// Describes a characteristic.
  public init(uuid: BluetoothUUID, decode: @escaping @Sendable ([UInt8]) throws -> Value) {
    self.uuid = uuid
    self.decode = decode
  }
}

extension StandardCharacteristic where Value == Int {
  /// The level of a battery, in percent.
  public static var batteryLevel: Self {
    Self(uuid: BluetoothUUID(short: 0x2a19)) { octets in
      Int(try BatteryValues.level.decode(octets).number ?? 0)
    }
  }
}

extension StandardCharacteristic where Value == Double {
  /// A temperature, in degrees Celsius.
  public static var temperatureMeasurement: Self {
    Self(uuid: BluetoothUUID(short: 0x2a1c)) { octets in
      try ThermometerValues.measurement.decode(octets)["celsius"]?.number ?? .nan
    }
  }
}

extension StandardCharacteristic where Value == String {
  /// The manufacturer of the device.
  public static var manufacturerName: Self {
    Self(uuid: BluetoothUUID(short: 0x2a29)) { octets in
      try DeviceInformationValues.text.decode(octets).description
    }
  }
}
