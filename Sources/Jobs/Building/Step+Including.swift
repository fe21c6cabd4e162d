// Includes the steps of a file in a chain in Swift.

public import Bluetooth
public import Documents

extension Step {
  /// The steps of a file, as `include` in chain files and in the one-line form.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").captured(as: "battery")
  ///   try Step.included(from: "lib/alert.yaml", with: ["level": "2"], after: ["battery"])
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - file: Must be below the working directory, after `..` and symbolic links are resolved.
  ///   - values: Values for variables of the file.
  ///   - captured: Values that earlier steps capture and the file uses.
  ///   - names: Names for UUIDs, besides those of the file.
  ///   - limits: The limits of the file, including the files that it includes.
  ///   - source: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: `DocumentErrors` with all errors in the file.
  public static func included(
    from file: String,
    with values: KeyValuePairs<String, String> = [:],
    after captured: [String] = [],
    names: AttributeNames = .assigned,
    limits: PlanLimits = PlanLimits(),
    file source: String = #fileID,
    line: Int = #line
  ) throws(DocumentErrors) -> [Step] {
    // Without its module: files are included from the working directory, not from a folder of it.
    let place = Place(file: String(source.split(separator: "/").last ?? ""), line: line)
    func entry(_ key: String, _ content: Node.Content) -> Node.Entry {
      Node.Entry(key: key, keyPlace: place, value: Node(content, at: place, path: key))
    }
    let with = values.map { entry($0, .scalar($1, isPlain: true)) }
    let entries = [
      entry("include", .scalar(file, isPlain: false)), entry("with", .mapping(with)),
    ]
    var surroundings = IncludedSurroundings(
      inclusions: .load([file], in: place.file, limits),
      names: names
    )
    surroundings.captured = captured + surroundings.inclusions.names(under: "as")
    var reader = StepReader(limits: limits, surroundings)
    for name in captured { reader.scope.capture(name, fields: nil, nil) }
    let steps = reader.include(Node(.mapping(entries), at: place, path: ""))
    guard reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    return steps
  }
}
