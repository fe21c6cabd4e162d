// One fault, written as in a device file.

public import Documents

extension DeviceFile {
  /// Reads a fault to add to a device that runs: a rule, or a named fault such as
  /// `{ fault: slow, on: read, by: 3s }` or `{ fault: lost-notifications, for: 3s }`.
  ///
  /// - Parameters:
  ///   - text: The rule, in YAML.
  ///   - device: The device that gets the fault.
  ///   - file: What the text is called in complaints.
  /// - Returns: The actions that add it, with their delays from now on.
  /// - Throws: `Problem` with everything that is wrong, also with a characteristic or a service
  ///   that the device does not have.
  public static func parseFault(
    _ text: String,
    of device: DeviceDefinition,
    file: String = "fault"
  ) throws(Problem) -> [TimedAction] {
    do throws(DocumentErrors) {
      let root = try Document.parse(text, file: file)
      var reader = DeviceReader(attributeNames: device.names)
      reader.scenario.devices = [device]
      reader.scenario.targets = [0]
      let fault = reader.fault(root, in: .request)
      reader.checkReferences(in: device)
      guard reader.problems.isEmpty, let fault else { throw DocumentErrors(reader.problems) }
      return fault.actions(on: device.address)
    } catch {
      throw Problem(allOf: error)
    }
  }
}
