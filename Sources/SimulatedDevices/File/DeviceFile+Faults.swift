// One fault rule, written as in a device file.

import Documents

extension DeviceFile {
  /// Reads a rule such as `{ on: read, characteristic: battery-level, nth: 1, do: refuse 0x0e }`.
  ///
  /// - Parameter file: What the text is called in complaints.
  /// - Throws: ``ChoiceError`` with everything that is wrong.
  public static func parseFault(
    _ text: String,
    file: String = "fault"
  ) throws(ChoiceError) -> FaultRule {
    do throws(DocumentErrors) {
      let root = try Document.parse(text, file: file)
      var reader = DeviceReader()
      let rule = DeviceReader.faultShape.read(root, &reader)
      guard reader.problems.isEmpty, let rule else { throw DocumentErrors(reader.problems) }
      return rule
    } catch {
      let problems = error.problems.map(\.description).joined(separator: "; ")
      throw ChoiceError(description: problems)
    }
  }
}
