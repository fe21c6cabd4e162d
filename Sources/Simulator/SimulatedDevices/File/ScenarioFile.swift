// Scenarios from YAML files, and device files as scenarios without faults.
//
// The format is described in Simulators/README.md.

public import Documents
import Spelling

/// Reads the files that define simulated worlds.
public enum ScenarioFile {
  /// Reads a file: a scenario, which has the key `scenario`, or a file of devices as ``DeviceFile``
  /// does.
  ///
  /// ```swift
  /// let scenario = try ScenarioFile.load(path: "office.yaml")
  /// print(scenario.devices.count, scenario.faults.count)
  /// ```
  ///
  /// - Throws: `DocumentErrors` with all problems of the file and of the device files that it
  ///   names; also if a file is missing, cannot be read, or is not UTF-8.
  public static func load(path: String) throws(DocumentErrors) -> ScenarioDefinition {
    try parse(TextFile.read(path), file: path)
  }

  /// Whether a file looks like one of simulated devices, valid or not; false if it cannot be read,
  /// or is invalid YAML.
  ///
  /// ```swift
  /// if ScenarioFile.recognizes(fileAt: "lamp.yaml") { print("a device or a scenario, not a chain") }
  /// ```
  public static func recognizes(fileAt path: String) -> Bool {
    Document.keys(at: path).map(recognizes(keys:)) ?? false
  }

  /// Whether these top-level keys are those of a device file or a scenario.
  package static func recognizes(keys: [String]) -> Bool {
    !keys.contains("steps")
      && ["scenario", "devices", "services", "address"].contains { keys.contains($0) }
  }

  /// Parses the text of a file.
  ///
  /// - Parameters:
  ///   - text: The text of a scenario file.
  /// - file: The name of the text in error messages; relative paths start at its folder.
  /// - Throws: `DocumentErrors` with all problems of the text.
  public static func parse(
    _ text: String, file: String
  ) throws(DocumentErrors) -> ScenarioDefinition {
    let root = try Document.parse(text, file: file)
    guard isScenario(root) else {
      return ScenarioDefinition(devices: try DeviceFile.read(root))
    }
    var reader = DeviceReader()
    let scenario = reader.scenario(root)
    guard reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    return scenario
  }

  /// Whether a file has the key `scenario` or a misspelling of it. In a file of devices, each of the
  /// other keys of a scenario would be an error, too.
  private static func isScenario(_ root: Node) -> Bool {
    root.mapping?.contains { Spelling.nearest(to: $0.key, among: ["scenario"]) != nil } == true
  }

  /// The warnings for a valid file, such as two timers that fire at the same instants.
  ///
  /// Empty for an invalid file, and for a file that can be read only once, such as a pipe.
  package static func warnings(path: String) -> [Problem] {
    guard TextFile.isRegular(path), let text = try? TextFile.read(path),
      let root = try? Document.parse(text, file: path)
    else { return [] }
    var reader = DeviceReader()
    if isScenario(root) {
      _ = reader.scenario(root)
    } else {
      _ = reader.devices(root)
    }
    return reader.problems.isEmpty ? reader.warnings : []
  }
}
