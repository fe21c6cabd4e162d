// `combine`: combines the latest values of several characteristics.

public import Bluetooth
import Documents
import Signals

/// The inputs and stop conditions of a `combine` step.
public struct CombineStep: Hashable, Sendable {
  /// A characteristic and the name of its value.
  public struct Input: Hashable, Sendable {
    /// The source of an input's values.
    public enum Source: Hashable, Sendable {
      /// Notifications or indications.
      case notify
      /// Reads at this interval, measured from start to start.
      case poll(every: Duration)
    }

    public var name: String
    public var source: Source
    public var target: CharacteristicSelector
    /// The format; nil uses that of the characteristic's specification.
    public var format: ValueFormat?

    public init(
      _ name: String, _ source: Source, _ target: CharacteristicSelector,
      format: ValueFormat? = nil
    ) {
      self.name = name
      self.source = source
      self.target = target
      self.format = format
    }
  }

  /// The inputs, at most ``mostInputs``.
  public var inputs: [Input]
  public var stop: StopConditions

  /// Creates a combination of inputs.
  ///
  /// ```swift
  /// let inputs: [CombineStep.Input] = [
  ///   .init("heart", .notify, "heart-rate-measurement"),
  ///   .init("battery", .poll(every: .seconds(10)), "battery-level"),
  /// ]
  /// let both = Step(.combine(CombineStep(inputs, StopConditions(count: 20))))
  /// ```
  public init(_ inputs: [Input], _ stop: StopConditions) {
    self.inputs = inputs
    self.stop = stop
  }

  public static let mostInputs = 8
}

extension CombineStep: StreamingKind {
  init() { self.init([], StopConditions()) }

  static let verb = "combine"
  static let documentation =
    "combines the latest values of several characteristics, whenever one of them changes"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let keys: [Key<CombineStep>] =
    [
      Key(
        "combine", \.inputs, .inputs, line: .inputs(Input.keys.map(\.description)),
        "2 to \(mostInputs) inputs, each with `notify`, or `poll` and `every`, and with `as`; `format` is optional"
      )
    ] + endingKeys

  var action: Step.Action { .combine(self) }
  /// Always nil, because the inputs have several characteristics.
  var characteristic: CharacteristicSelector? { nil }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] {
    inputs.map { input in
      switch input.source {
      case .notify: (input.target, .subscribe)
      case .poll: (input.target, .read)
      }
    }
  }
  var subjects: Subjects? { Subjects(of: inputs) }
  var title: String { "combine \(inputs.map(\.name).joined(separator: ", "))" }
  var participle: String {
    "following \(inputs.map { "\($0.target)" }.joined(separator: " and "))"
  }

  func run(_ run: StepRun) async throws {
    let names = inputs.map(\.name)
    let pieces = inputs.map(\.pieces)
    let values = zip(inputs, pieces).map { $0.samples(run.service, $1) }
    let joined = Signal<Sample>.combineLatest(values)
      .map { Sample(joining: $0, names: names) }
    try await run.gather(joined, pieces.compactMap(\.self), of: self) { measures, rate in
      .listened(count: measures.count, rate: rate)
    }
  }
}

extension CombineStep.Input: Described {
  init() { self.init("", .notify, .unread) }

  static let keys: [Key<CombineStep.Input>] = [
    Key("notify", \.notified, .characteristic, line: .target, "a characteristic that notifies"),
    Key("poll", \.polled, .characteristic, line: .target, "a characteristic that is read"),
    Key("every", \.period, .duration, "the interval between the starts of two reads"),
    Key("format", \.format, .format, "the format of each value"),
    Key("as", \.name, .variableName, "the name of the value"),
  ]
  static let rules: [KeyRule] = [
    KeyRule(schema: .anyOf([.required("notify"), .required("poll", "every")])) { isGiven in
      isGiven("notify") == isGiven("poll")
        ? [([], Problem("an input has exactly one source", expected: "'notify' or 'poll'"))] : []
    },
    KeyRule(schema: nil) { isGiven in
      switch (isGiven("poll"), isGiven("every")) {
      case (true, false):
        [([], Problem("the key 'every' is missing", expected: Duration.expected))]
      case (false, true): [(["every"], Problem("'every' is only valid with 'poll'"))]
      case (true, true), (false, false): []
      }
    },
  ]

  /// The joiner of its values, if they come in pieces.
  fileprivate var pieces: JoinedPieces? {
    switch source {
    case .poll: nil
    case .notify: JoinedPieces(target, format)
    }
  }

  fileprivate func samples(_ service: any Device, _ pieces: JoinedPieces?) -> Signal<Sample> {
    switch source {
    case .poll(let period): service.reads(of: target, format, every: period)
    case .notify: service.listening(to: target, format: format, pieces: pieces) { $0 }
    }
  }

  private var notified: CharacteristicSelector? {
    get { period == nil ? target : nil }
    set { if let newValue { target = newValue } }
  }

  private var polled: CharacteristicSelector? {
    get { period == nil ? nil : target }
    set { if let newValue { target = newValue } }
  }

  private var period: Duration? {
    get { if case .poll(let period) = source { period } else { nil } }
    set { source = newValue.map { .poll(every: $0) } ?? .notify }
  }
}

extension CombineStep.Input: CustomStringConvertible {
  /// The one-line form: `notify heart-rate-measurement as hr`.
  public var description: String {
    ([period == nil ? "notify" : "poll"] + words(Self.keys)).joined(separator: " ")
  }
}

extension Step {
  /// Combines the latest values of several characteristics, each time one of them changes.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   Step.combine(
  ///     CombineStep.Input("heart", .notify, "heart-rate-measurement"),
  ///     CombineStep.Input("battery", .poll(every: .seconds(10)), "battery-level"),
  ///     count: 20)
  /// }
  /// ```
  public static func combine(
    _ inputs: CombineStep.Input..., count: Int? = nil, for duration: Duration? = nil
  ) -> Step {
    Step(.combine(CombineStep(inputs, StopConditions(count: count, duration: duration))))
  }
}

extension Shape where Value == [CombineStep.Input] {
  static var inputs: Self {
    let count = "from 2 to \(CombineStep.mostInputs) inputs"
    var shape = Shape(
      "\(count) such as { notify: battery-level, as: battery }",
      line: "\(count): { notify battery-level as battery; … }",
      schema: .list(of: .reference("input"), 2...CombineStep.mostInputs),
      words: { [$0.map(\.description).joined(separator: "; ")] }
    ) { node, reader in reader.inputs(node) }
    shape.operations.problem = { inputs, limits in
      guard (2...CombineStep.mostInputs).contains(inputs.count) else {
        return Problem(
          found: counted(inputs.count, "input"), expected: "from 2 to \(CombineStep.mostInputs)"
        )
      }
      return inputs.lazy.compactMap { $0.problem(limits) }.first
    }
    shape.operations.characteristics = { $0.map(\.target) }
    return shape
  }
}

extension StepReader {
  fileprivate mutating func inputs(_ node: Node) -> [CombineStep.Input]? {
    let expected = Shape<[CombineStep.Input]>.inputs.description.expected(self)
    let nodes = node.sequence ?? []
    if !(2...CombineStep.mostInputs).contains(nodes.count) {
      let found = node.sequence == nil ? node.shown : counted(nodes.count, "input")
      complain(node, Problem(found: found, expected: expected))
    }
    var inputs: [CombineStep.Input] = []
    for node in nodes.prefix(CombineStep.mostInputs) {
      guard let input = CombineStep.Input.read(node, &self, expected: expected),
        CombineStep.Input.rules.allSatisfy({ $0.problems(node).isEmpty })
      else { continue }
      if inputs.contains(where: { $0.name == input.name }) {
        complain(node, Problem("duplicate name '\(input.name)'", expected: "another 'as'"))
      }
      inputs.append(input)
    }
    return inputs.count == nodes.count && !inputs.isEmpty ? inputs : nil
  }
}
