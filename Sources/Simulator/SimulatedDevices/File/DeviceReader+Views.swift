// Names for the values of other characteristics, in a device file.

import Bluetooth
import Documents

extension DeviceReader {
  /// The value of a name: the bytes of a characteristic, or a part of them.
  static let viewForm = DeviceForm<View>(
    "A part of a characteristic's value.", View(),
    [
      DeviceKey(
        "of", \.characteristic, .reference(.presence), isRequired: true, "the characteristic"
      ),
      DeviceKey("as", \.format, .format(among: wholeFormats), usual: "bytes", "an integer format"),
      DeviceKey(
        "at",
        \.offset,
        .integer(0...FileLimits.octets - 1),
        "how many bytes come before it"
      ),
      DeviceKey("count", \.count, .integer(1...FileLimits.octets), usual: "all", "how many bytes"),
    ],
    rules: [.never("count", with: "as", "'as' sets how many bytes it has")]
  )

  private static let wholeFormats = ValueFormat.names.compactMap { ValueFormat($0) }
    .filter { $0.whole != nil }

  /// The pattern of variable names.
  static let variableName = "^[A-Za-z][A-Za-z0-9_]*$"

  fileprivate mutating func view(_ entry: Node.Entry) -> View? {
    guard Expression.isVariableName(entry.key) else {
      problems.append(
        name(entry).problem(
          "'\(entry.key)' cannot be a name",
          expected: "letters, digits and underscores, a letter first"
        )
      )
      return nil
    }
    if entry.value.text != nil {
      return reference(entry.value, .presence).map { View(name: entry.key, characteristic: $0) }
    }
    // The name is registered even after a problem, so that its uses are not reported too.
    var view = Self.viewForm.read(entry.value, &self)
    view.name = entry.key
    return view
  }
}

extension Shape where State == DeviceReader, Value == [View] {
  /// `with: { level: { of: battery-level, as: u8, at: 0 } }`: later keys may use the names.
  static var views: DeviceShape<[View]> {
    let name = Schema(["type": "string", "description": "A characteristic: its bytes."])
    return DeviceShape(
      "{ level: { of: battery-level, as: u8 } }",
      schema: Schema.map(
        of: Schema.any([name, DeviceReader.viewForm.schema]).named("view"),
        names: DeviceReader.variableName
      )
      .described("Names for values of other characteristics.").named("views")
    ) { node, reader in
      let views = reader.entries(node).compactMap { reader.view($0) }
      reader.knownVariables.add(View.variables(views))
      return views
    }
  }
}

extension View {
  /// The names of these views, with their kinds.
  static func variables(_ views: [View]) -> KnownVariables {
    KnownVariables(views.map { ($0.name, $0.kind) })
  }
}
