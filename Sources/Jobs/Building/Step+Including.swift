// Steps of a file in a chain in Swift.

public import Documents

extension Step {
  /// The steps of a file: what `include` stands for in chain files and on one line.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").captured(as: "battery")
  ///   try Step.included(from: "lib/alert.yaml", with: ["level": "2"], after: ["battery"])
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - file: Has to lie below the working directory, whatever `..` and symbolic links say.
  ///   - values: For variables of the file.
  ///   - captured: What steps before this capture, as far as the file looks at it.
  ///   - limits: How much the file, and what it includes, may ask for.
  /// - Throws: `DocumentErrors` with everything that is wrong with the file.
  public static func included(
    from file: String,
    with values: KeyValuePairs<String, String> = [:],
    after captured: [String] = [],
    limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) -> [Step] {
    let place = Place(file: "Swift")
    func entry(_ key: String, _ content: Node.Content) -> Node.Entry {
      Node.Entry(key: key, keyPlace: place, value: Node(content, at: place, path: key))
    }
    let with = values.map { entry($0, .scalar($1, isPlain: true)) }
    let entries = [
      entry("include", .scalar(file, isPlain: false)), entry("with", .mapping(with)),
    ]
    var surroundings = IncludedSurroundings(inclusions: .load([file], in: place.file, limits))
    surroundings.captured = captured + surroundings.inclusions.names(under: "as")
    var reader = StepReader(limits: limits, surroundings)
    for name in captured { reader.scope.capture(name, fields: nil) }
    let steps = reader.include(Node(.mapping(entries), at: place, path: ""))
    guard reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    return steps
  }
}
