// Scenarios from YAML files, and device files as scenarios without faults.
//
// The format is described in Simulators/README.md.

public import Documents

/// Reads the files that define simulated worlds.
public enum ScenarioFile {
  /// Reads a file: a scenario, which has the key `scenario`, or what ``DeviceFile`` reads.
  ///
  /// ```swift
  /// let scenario = try ScenarioFile.load(path: "office.yaml")
  /// print(scenario.devices.count, scenario.faults.count)
  /// ```
  ///
  /// - Throws: `DocumentErrors` with everything that is wrong, also in the device files that it
  ///   names; also for a file that is not there, cannot be read, or is not UTF-8.
  public static func load(path: String) throws(DocumentErrors) -> ScenarioDefinition {
    try parse(TextFile.read(path), file: path)
  }

  /// Whether a file means to define simulated devices, right or wrong; false also for one that
  /// cannot be read, or is invalid YAML.
  ///
  /// ```swift
  /// if ScenarioFile.isMeant(at: "lamp.yaml") { print("a device or a scenario, not a chain") }
  /// ```
  public static func isMeant(at path: String) -> Bool {
    Document.keys(at: path).map(isMeant(by:)) ?? false
  }

  /// Whether a file with these keys means to define simulated devices.
  package static func isMeant(by keys: [String]) -> Bool {
    !keys.contains("steps")
      && ["scenario", "devices", "services", "address"].contains { keys.contains($0) }
  }

  /// Reads the text of a file.
  ///
  /// - Parameters:
  ///   - text: The text of a scenario file.
  ///   - file: What it is called in complaints; files that it names count from its folder.
  /// - Throws: `DocumentErrors` with everything that is wrong.
  public static func parse(
    _ text: String, file: String
  ) throws(DocumentErrors) -> ScenarioDefinition {
    let root = try Document.parse(text, file: file)
    guard root.mapping?.contains(where: { $0.key == "scenario" }) == true else {
      return ScenarioDefinition(devices: try DeviceFile.read(root))
    }
    var reader = DeviceReader()
    let scenario = reader.scenario(root)
    guard reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    return scenario
  }

  /// What is valid in a file and hardly meant, such as two timers that fire at the same instants.
  ///
  /// Empty for an invalid file, and for one that can be read only once, such as a pipe.
  package static func warnings(path: String) -> [Problem] {
    guard TextFile.isRegular(path), let text = try? TextFile.read(path),
      let root = try? Document.parse(text, file: path)
    else { return [] }
    var reader = DeviceReader()
    if root.value(of: "scenario") != nil {
      _ = reader.scenario(root)
    } else {
      _ = reader.devices(root)
    }
    return reader.problems.isEmpty ? reader.warnings : []
  }
}
