// Steps that take many values, in the one-line form: `notify`, `poll`, `combine`.

import Bluetooth
import Documents

extension LineStepReader {
  static let endWords = ["until", "for"]

  mutating func notify() throws(LineError) -> Step {
    let target = try selector()
    var options = Options()
    var trigger: Write?
    let known =
      Self.endWords + ["as", "expect", "within", "format", "after"] + Self.subscriptionWords
    while let word = pop() {
      if word.isPlain("after") {
        trigger = try self.trigger()
      } else {
        try option(word, of: &options, known: known)
      }
    }
    let subjects = Subjects(of: target, format: options.format, kind: .stream)
    var listening = Listening(
      to: target,
      format: options.format,
      trigger: trigger,
      options: options.subscription
    )
    listening.enough = try enough(options, subjects)
    return try step(.notify(listening), options, subjects)
  }

  /// `poll battery-level every 1s until 5x`.
  mutating func poll() throws(LineError) -> Step {
    let target = try selector()
    var options = Options()
    let known = ["every"] + Self.endWords + ["as", "expect", "within", "format"]
    while let word = pop() { try option(word, of: &options, known: known) }
    guard let period = options.period else { throw missing("'every' with a duration: every 1s") }
    let subjects = Subjects(of: target, format: options.format, kind: .poll)
    let enough = try enough(options, subjects)
    let polling = Polling(target, every: period, format: options.format, enough)
    return try step(.poll(polling), options, subjects)
  }

  /// `combine { notify heart-rate-measurement as hr; poll battery-level every 5s as b } for 10s`.
  mutating func combine() throws(LineError) -> Step {
    let shape = "from 2 to \(Combining.mostInputs) inputs: { notify battery-level as battery; … }"
    let blocks = try braces(shape)
    guard (2...Combining.mostInputs).contains(blocks.count) else {
      throw LineError(Complaint("\(blocks.count) inputs", expected: shape), at: last.place)
    }
    var inputs: [Combining.Input] = []
    for words in blocks {
      var reader = LineStepReader(words, scope: scope, limits: limits, surroundings)
      let input = try reader.input()
      guard !inputs.contains(where: { $0.name == input.name }) else {
        let complaint = Complaint("two values are called '\(input.name)'", expected: "another 'as'")
        throw LineError(complaint, at: words[0].place)
      }
      inputs.append(input)
    }
    var options = Options()
    let known = Self.endWords + ["as", "expect", "within"]
    while let word = pop() { try option(word, of: &options, known: known) }
    let subjects = Subjects(of: inputs)
    let enough = try enough(options, subjects)
    return try step(.combine(Combining(inputs, enough)), options, subjects)
  }

  private mutating func input() throws(LineError) -> Combining.Input {
    let verb = try next("notify or poll")
    let isPolled = verb.isPlain("poll")
    guard isPolled || verb.isPlain("notify") else {
      let complaint = Complaint("'\(verb.text)' is no input", expected: "notify or poll")
      throw LineError(complaint, at: verb.place)
    }
    let target = try selector()
    var options = Options()
    let known = (isPolled ? ["every"] : []) + ["as", "format"]
    while let word = pop() { try option(word, of: &options, known: known) }
    guard let name = options.capture else { throw missing("'as' with a name") }
    guard isPolled else {
      return Combining.Input(name, .notify, target, format: options.format)
    }
    guard let period = options.period else { throw missing("'every' with a duration: every 1s") }
    return Combining.Input(name, .poll(every: period), target, format: options.format)
  }

  /// `after { write heart-rate-control-point hex:01 }`.
  private mutating func trigger() throws(LineError) -> Write {
    let blocks = try braces("a write in braces: { write alert-level u8:1 }")
    var reader = LineStepReader(blocks[0], scope: scope, limits: limits, surroundings)
    let step = try reader.step()
    guard case .write(let write) = step.action, step.timeout == nil, blocks.count == 1 else {
      let complaint = Complaint("this is no write", expected: "one write alone")
      throw LineError(complaint, at: blocks[0][0].place)
    }
    return write
  }

  private func step(
    _ action: Step.Action,
    _ options: Options,
    _ subjects: Subjects
  ) throws(LineError) -> Step {
    Step(
      action,
      capture: options.capture,
      expectations: try expectations(options.expected, subjects),
      timeout: options.within
    )
  }

  // MARK: Enough

  private func enough(_ options: Options, _ subjects: Subjects) throws(LineError) -> Enough {
    let enough = Enough(
      count: options.count,
      duration: options.duration,
      silence: options.silence,
      conditions: try expectations(options.last, subjects)
    )
    guard enough.isBounded else { throw LineError(Listening.endless, at: first.place) }
    if let within = options.within, let duration = options.duration, within < duration {
      throw LineError(Listening.tooShort(within, for: duration), at: first.place)
    }
    return enough
  }

  /// What follows `until`: `5x`, `5`, `count 5`, `silence 2s`, or a comparison.
  mutating func until(_ options: inout Options) throws(LineError) {
    let expected = "how many values, such as 5x: from 1x to \(limits.notifications)x"
    let word = try next(expected)
    if word.isPlain("silence") {
      options.silence = try duration("a duration above 0 such as 2s")
      return
    }
    let number = word.isPlain("count") ? try next(expected) : word
    let digits = number.text.hasSuffix("x") ? String(number.text.dropLast()) : number.text
    if let count = Int(digits), count >= 1, count <= limits.notifications {
      options.count = count
      return
    }
    // A comparison begins with a name.
    let isName = word.text.first?.isLetter == true && !word.isPlain("count")
    guard isName else {
      let complaint = Complaint("'\(number.text)' stands here", expected: expected)
      throw LineError(complaint, at: number.place)
    }
    push([word])
    options.last.append(try self.expected())
  }
}
