// One step of the one-line form.
//
// Comparisons are in LineStepReader+Expecting.swift.

import Bluetooth
import Documents

/// Reads the words of one step, and stops at the first that is wrong.
struct LineStepReader {
  private var words: [LineWord]
  let first: LineWord
  /// Where something is said to be missing: behind the last word.
  private(set) var last: LineWord
  var scope: Scope
  /// The files that may be included.
  var surroundings: IncludedSurroundings
  let limits: PlanLimits
  /// In how many steps this one lies.
  let depth: Int

  /// - Parameter words: At least one.
  init(
    _ words: [LineWord],
    scope: Scope,
    limits: PlanLimits,
    depth: Int = 0,
    _ surroundings: IncludedSurroundings
  ) {
    self.depth = depth
    self.surroundings = surroundings
    first = words[0]
    last = words[0]
    self.words = words.reversed()
    self.scope = scope
    self.limits = limits
  }

  /// The words for steps, in the order of complaints.
  static let verbs =
    [
      "read", "write", "notify", "exchange", "poll", "combine", "scan", "sleep", "connect",
      "disconnect", "rssi",
      "log", "pair",
      "unpair", "trust",
    ] + blockVerbs + ["include"] + StepReader.attributeVerbs

  mutating func step() throws(LineError) -> Step {
    let verb = try next("a step")
    switch verb.text {
    case "read": return try read()
    case "write": return try write()
    case "notify": return try notify()
    case "exchange": return try exchange()
    case "scan": return try scan()
    case "sleep":
      let duration = try duration("a duration such as 500ms", from: .zero)
      try end()
      return Step(.sleep(duration))
    case "rssi": return try measure()
    case "log": return try log()
    case "connect": return Step(.connect, timeout: try limit())
    case "disconnect": return Step(.disconnect, timeout: try limit())
    case "pair": return try pair()
    case "unpair": return Step(.unpair, timeout: try limit())
    case "trust": return try trust()
    case _ where StepReader.attributeVerbs.contains(verb.text):
      return try attribute(verb.text)
    case "poll": return try poll()
    case "combine": return try combine()
    case _ where Self.blockVerbs.contains(verb.text): return try nested(verb.text)
    default:
      let message = "there is no step '\(verb.text)'"
      throw LineError(.unknown(message, verb.text, among: Self.verbs), at: verb.place)
    }
  }

  // MARK: Steps

  private mutating func read() throws(LineError) -> Step {
    let target = try selector()
    var options = Options()
    while let word = pop() {
      try option(word, of: &options, known: ["as", "expect", "within", "format", "offset"])
    }
    let isWhole = options.offset == 0
    let subjects =
      isWhole ? Subjects(of: target, format: options.format, kind: .single) : .plain
    return Step(
      isWhole
        ? .read(target, format: options.format)
        : .attribute(.readFrom(target, offset: options.offset, format: options.format)),
      capture: options.capture,
      expectations: try expectations(options.expected, subjects),
      timeout: options.within
    )
  }

  func part(_ word: LineWord, _ colon: Int) throws(LineError) -> WrittenValue.Part {
    let name = word.part(0..<colon)
    let value = word.part(colon + 1..<word.letters.count)
    guard let format = ValueFormat(name.text) else {
      throw LineError(.noFormat(name.text), at: name.place)
    }
    let template = try template(value)
    do {
      if let text = template.constant { _ = try format.encode(text) }
      return WrittenValue.Part(format, template)
    } catch {
      let expected = "a value for \(format)"
      throw LineError(Complaint(error.problem, expected: expected), at: value.place)
    }
  }

  private mutating func log() throws(LineError) -> Step {
    let template = try template(try next(MessageTemplate.shape))
    try end()
    return Step(.log(template))
  }

  /// A text with captured values in it.
  func template(_ word: LineWord) throws(LineError) -> MessageTemplate {
    guard let template = MessageTemplate(word.template) else {
      let message = "'\(word.text)' stands here"
      throw LineError(Complaint(message, expected: MessageTemplate.shape), at: word.place)
    }
    for path in template.variables {
      if let complaint = scope.complaint(about: path) {
        throw LineError(complaint, at: word.place)
      }
    }
    return template
  }

  /// `within` alone.
  mutating func limit() throws(LineError) -> Duration? {
    var options = Options()
    while let word = pop() { try option(word, of: &options, known: ["within"]) }
    return options.within
  }

  mutating func end() throws(LineError) {
    guard let word = pop() else { return }
    throw LineError(Complaint("'\(word.text)' stands here", expected: "nothing"), at: word.place)
  }

  // MARK: Options

  struct Options {
    var capture: String?
    var format: ValueFormat?
    var within: Duration?
    var duration: Duration?
    var count: Int?
    var period: Duration?
    var silence: Duration?
    /// What the last value has to be.
    var last: [Expected] = []
    var offset = 0
    var subscription = SubscriptionOptions()
    var expected: [Expected] = []
    var conditions: [Expected] = []
  }

  mutating func option(
    _ word: LineWord,
    of options: inout Options,
    known: [String]
  ) throws(LineError) {
    guard !word.isValue, known.contains(word.text) else {
      throw LineError(
        .unknown("'\(word.text)' stands here", word.text, among: known),
        at: word.place
      )
    }
    switch word.text {
    case "as": options.capture = try name()
    case "format": options.format = try format()
    case "within": options.within = try duration(Self.positive)
    case "for": options.duration = try duration(Self.positive)
    case "until": try until(&options)
    case "every": options.period = try duration(Self.positive)
    case "offset": options.offset = try offset()
    case "where": options.conditions.append(try expected())
    case _ where Self.subscriptionWords.contains(word.text):
      try subscription(word.text, &options.subscription)
    default: options.expected.append(try expected())
    }
  }

  private static let positive = "a duration above 0 such as 10s"

  private mutating func name() throws(LineError) -> String {
    let word = try next(VariablePath.shape)
    if VariablePath.isName(word.text) { return word.text }
    throw LineError(
      Complaint("'\(word.text)' is no name", expected: VariablePath.shape),
      at: word.place
    )
  }

  private mutating func format() throws(LineError) -> ValueFormat {
    let word = try next("a format such as u16")
    if let format = ValueFormat(word.text) { return format }
    throw LineError(.noFormat(word.text), at: word.place)
  }

  mutating func duration(
    _ expected: String,
    from least: Duration = .microseconds(1)
  ) throws(LineError) -> Duration {
    let word = try next(expected)
    if let duration = Duration(written: word.text), duration >= least { return duration }
    throw LineError(Complaint("'\(word.text)' stands here", expected: expected), at: word.place)
  }

  mutating func selector() throws(LineError) -> CharacteristicSelector {
    let word = try next("a characteristic such as battery-level")
    do {
      return try CharacteristicSelector(parsing: word.text)
    } catch {
      throw LineError(Complaint(error), at: word.place)
    }
  }

  // MARK: Words

  /// The next word, if there is one.
  mutating func pop() -> LineWord? {
    guard let word = words.popLast() else { return nil }
    last = word
    return word
  }

  /// The next word, which stays.
  var peek: LineWord? { words.last }

  /// Takes the next word where it is one that is meant.
  mutating func pop(where isMeant: (LineWord) -> Bool) -> Bool {
    guard let word = words.last, isMeant(word) else { return false }
    _ = pop()
    return true
  }

  /// The next word, which has to be there.
  mutating func next(_ expected: String) throws(LineError) -> LineWord {
    if let word = pop() { return word }
    let message = "nothing follows '\(last.text)'"
    throw LineError(Complaint(message, expected: expected), at: last.place)
  }

  /// Something is missing from the step.
  func missing(_ expected: String) -> LineError {
    LineError(Complaint("'\(first.text)' is not complete", expected: expected), at: first.place)
  }

  /// Has `words` taken next.
  mutating func push(_ more: [LineWord]) { words += more.reversed() }
}
