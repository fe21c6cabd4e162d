// The steps about attributes in the one-line form.

import Bluetooth
import Documents

extension LineStepReader {
  /// The step for one of `StepReader.attributeVerbs`.
  mutating func attribute(_ verb: String) throws(LineError) -> Step {
    switch verb {
    case "mtu": return try plain(.attribute(.mtu), .plain)
    case "connection-parameters": return try plain(.attribute(.parameters), .ofTiming)
    case "services": return Step(.attribute(.services), timeout: try limit())
    case "read-descriptor":
      let target = try descriptor()
      var options = Options()
      while let word = pop() {
        try option(word, of: &options, known: ["as", "expect", "within", "format"])
      }
      return Step(
        .attribute(.readDescriptor(target, format: options.format)),
        capture: options.capture,
        expectations: try expectations(options.expected, .plain),
        timeout: options.within
      )
    default:
      let target = try descriptor()
      let (parts, within) = try values()
      do {
        return Step(
          .attribute(.writeDescriptor(target, try WrittenValue(parts))),
          timeout: within
        )
      } catch {
        throw LineError(Complaint(error.problem), at: first.place)
      }
    }
  }

  /// Values in a row, and `within`.
  private mutating func values() throws(LineError) -> ([WrittenValue.Part], Duration?) {
    var parts: [WrittenValue.Part] = []
    var within: Duration?
    while let word = pop() {
      if let colon = word.firstIndex(of: ":") {
        parts.append(try part(word, colon))
      } else if word.isPlain("within") {
        within = try duration("a duration above 0 such as 10s")
      } else {
        let expected = "a value such as u8:1, or within"
        throw LineError(
          Complaint("'\(word.text)' stands here", expected: expected),
          at: word.place
        )
      }
    }
    guard !parts.isEmpty else {
      throw LineError(Complaint("no value", expected: "a value such as u8:1"), at: last.place)
    }
    return (parts, within)
  }

  private mutating func descriptor() throws(LineError) -> DescriptorSelector {
    let word = try next("a descriptor such as battery-level/2901")
    do {
      return try DescriptorSelector(parsing: word.text)
    } catch {
      throw LineError(Complaint(error), at: word.place)
    }
  }

  // MARK: Options

  static let subscriptionWords = ["delivery", "on-link-loss", "buffer", "overflow"]

  /// The word after `offset`.
  mutating func offset() throws(LineError) -> Int {
    try number(upTo: WrittenValue.longest, from: 0, "the first octet")
  }

  /// What follows one of ``subscriptionWords``.
  mutating func subscription(
    _ word: String,
    _ options: inout SubscriptionOptions
  ) throws(LineError) {
    switch word {
    case "delivery": options.delivery = try choice()
    case "on-link-loss": options.onLinkLoss = try choice()
    case "overflow": options.overflow = try choice()
    default:
      options.buffer = try number(
        upTo: SubscriptionOptions.mostBuffered,
        from: 1,
        "how many values"
      )
    }
  }

  mutating func number(
    upTo most: Int,
    from least: Int,
    _ what: String
  ) throws(LineError) -> Int {
    let expected = "\(what), from \(least) to \(most)"
    let word = try next(expected)
    if let number = Int(word.text), number >= least, number <= most { return number }
    throw LineError(Complaint("'\(word.text)' stands here", expected: expected), at: word.place)
  }

  mutating func choice<Choice: RawRepresentable & CaseIterable>() throws(LineError)
    -> Choice where Choice.RawValue == String
  {
    let known = Choice.allCases.map(\.rawValue)
    let word = try next(known.joined(separator: " or "))
    if let choice = Choice(rawValue: word.text) { return choice }
    throw LineError(
      .unknown("'\(word.text)' stands here", word.text, among: known),
      at: word.place
    )
  }
}
