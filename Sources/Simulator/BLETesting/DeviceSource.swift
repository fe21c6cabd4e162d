// Where the simulated devices of a test come from.

public import SimulatedDevices

/// One or more simulated devices, or a whole scenario, from a file, a text, or Swift.
public struct DeviceSource: Sendable {
  private let load: @Sendable () throws -> ScenarioDefinition

  /// The devices or the scenario of a YAML file, such as those in `Simulators`.
  ///
  /// ```swift
  /// let pair = try SimulatedWorld(.file("thermometer.yaml"), .file("lamp.yaml"))
  /// ```
  ///
  /// - Parameters:
  ///   - path: Below the folder of `source` unless it begins with `/`.
  ///   - source: The file that this is written in.
  public static func file(_ path: String, beside source: String = #filePath) -> DeviceSource {
    let folder = source.lastIndex(of: "/").map { String(source[...$0]) } ?? ""
    let place = path.hasPrefix("/") ? path : folder + path
    return DeviceSource { try ScenarioFile.load(path: place) }
  }

  /// The devices of a text in the format of the files.
  ///
  /// ```swift
  /// let lamp = try SimulatedWorld(.yaml("name: Lamp\naddress: C0:FF:EE:00:00:52"))
  /// ```
  public static func yaml(_ text: String) -> DeviceSource {
    DeviceSource { try ScenarioFile.parse(text, file: "the test") }
  }

  /// A device put together in Swift.
  ///
  /// `DeviceDefinition` is of the module SimulatedDevices, which belongs to the same product.
  ///
  /// ```swift
  /// let lamp = DeviceDefinition(name: "Lamp", address: BluetoothAddress(number: 0xc0ff_ee00_0052))
  /// let world = try SimulatedWorld(.definition(lamp))
  /// ```
  public static func definition(_ definition: DeviceDefinition) -> DeviceSource {
    DeviceSource { ScenarioDefinition(devices: [definition]) }
  }

  private init(_ load: @escaping @Sendable () throws -> ScenarioDefinition) { self.load = load }

  /// Reads the devices and the faults that affect them.
  ///
  /// ```swift
  /// let names = try DeviceSource.file("thermometer.yaml").scenario().devices.map(\.name)
  /// ```
  ///
  /// - Throws: `DocumentErrors` of the part `Documents`, with everything that is wrong with a file.
  public func scenario() throws -> ScenarioDefinition { try load() }
}
