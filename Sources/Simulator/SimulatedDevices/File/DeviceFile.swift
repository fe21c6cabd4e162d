// Device definitions from YAML files.
//
// The format is described in Simulators/README.md.

public import Documents

/// Reads the files that define simulated devices.
public enum DeviceFile {
  /// Reads a file: one device, or a mapping with a list of devices under the key `devices`.
  ///
  /// ```swift
  /// for device in try DeviceFile.load(path: "thermometer.yaml") { print(device.address) }
  /// ```
  ///
  /// - Throws: `DocumentErrors` with all problems of the file; also if the file is missing, cannot
  ///   be read, or is not UTF-8.
  public static func load(path: String) throws(DocumentErrors) -> [DeviceDefinition] {
    try parse(TextFile.read(path), file: path)
  }

  /// Parses the text of a file.
  ///
  /// ```swift
  /// let text = "name: Lamp\naddress: C0:FF:EE:00:00:52"
  /// let lamp = try DeviceFile.parse(text, file: "the test").first
  /// ```
  ///
  /// - Parameters:
  ///   - text: The text of a device file.
  /// - file: The name of the text in error messages.
  /// - Throws: `DocumentErrors` with all problems of the text.
  public static func parse(
    _ text: String, file: String
  ) throws(DocumentErrors) -> [DeviceDefinition] {
    try read(Document.parse(text, file: file))
  }

  /// Reads the devices of a file.
  static func read(_ root: Node) throws(DocumentErrors) -> [DeviceDefinition] {
    var reader = DeviceReader()
    let devices = reader.devices(root)
    guard reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    return devices
  }
}
