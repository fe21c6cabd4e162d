// The sources of simulated devices for a test: a file, a text, or Swift.

public import SimulatedDevices

/// A source of one or more simulated devices or a scenario: a file, a text, or Swift.
public struct DeviceSource: Sendable {
  private let load: @Sendable () throws -> ScenarioDefinition

  /// The devices or the scenario of a YAML file, such as those in `Simulators`.
  ///
  /// ```swift
  /// let pair = try SimulatedWorld(.file("thermometer.yaml"), .file("lamp.yaml"))
  /// ```
  ///
  /// - Parameters:
  /// - path: Relative to the folder of `source`, unless it begins with `/`.
  /// - source: The file that contains this call.
  public static func file(_ path: String, beside source: String = #filePath) -> DeviceSource {
    let folder = source.lastIndex(of: "/").map { String(source[...$0]) } ?? ""
    let place = path.hasPrefix("/") ? path : folder + path
    return DeviceSource { try ScenarioFile.load(path: place) }
  }

  /// The devices of a YAML text in the format of a device file.
  ///
  /// ```swift
  /// let lamp = try SimulatedWorld(.yaml("name: Lamp\naddress: C0:FF:EE:00:00:52"))
  /// ```
  public static func yaml(_ text: String) -> DeviceSource {
    DeviceSource { try ScenarioFile.parse(text, file: "the test") }
  }

  /// A device defined in Swift.
  ///
  /// `DeviceDefinition` is part of the module SimulatedDevices in the same product.
  ///
  /// ```swift
  /// let lamp = DeviceDefinition(name: "Lamp", address: BluetoothAddress(number: 0xc0ff_ee00_0052))
  /// let world = try SimulatedWorld(.definition(lamp))
  /// ```
  public static func definition(_ definition: DeviceDefinition) -> DeviceSource {
    DeviceSource { ScenarioDefinition(devices: [definition]) }
  }

  private init(_ load: @escaping @Sendable () throws -> ScenarioDefinition) { self.load = load }

  /// Reads the devices and their faults.
  ///
  /// ```swift
  /// let names = try DeviceSource.file("thermometer.yaml").scenario().devices.map(\.name)
  /// ```
  ///
  /// - Throws: `DocumentErrors` of the module `Documents`, with every problem of a file.
  public func scenario() throws -> ScenarioDefinition { try load() }
}
