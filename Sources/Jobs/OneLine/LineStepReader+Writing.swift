// Writes in the one-line form: `write` and `exchange`.

import Bluetooth
import Documents

extension LineStepReader {
  /// What the words of a write say.
  private struct Written {
    var parts: [WrittenValue.Part] = []
    var kind = WriteKind.automatic
    var offset = 0
    var delivery = Write.Delivery.call
  }

  mutating func write() throws(LineError) -> Step {
    let target = try selector()
    var written = Written()
    var within: Duration?
    while let word = pop() {
      if try take(word, &written) { continue }
      if word.isPlain("within") {
        within = try duration("a duration above 0 such as 10s")
      } else if word.isPlain("delivery") {
        written.delivery = try choice()
      } else {
        throw unknown(word, among: ["offset", "delivery", "within"])
      }
    }
    return Step(.write(try write(written, to: target)), timeout: within)
  }

  /// `exchange ff01 hex:01 answer ff02 where u8 = 1 as status expect …`.
  mutating func exchange() throws(LineError) -> Step {
    let target = try selector()
    var written = Written()
    var answer = target
    var options = Options()
    let known = ["answer", "where", "as", "expect", "within", "format", "delivery"]
    while let word = pop() {
      if try take(word, &written) { continue }
      if word.isPlain("answer") {
        answer = try selector()
      } else if !word.isValue, known.contains(word.text) {
        try option(word, of: &options, known: known)
      } else {
        throw unknown(word, among: ["offset"] + known)
      }
    }
    let subjects = Subjects(of: answer, format: options.format, kind: .single)
    let exchanging = Exchanging(
      try write(written, to: target),
      answer: answer,
      format: options.format,
      where: try expectations(options.conditions, subjects),
      delivery: options.subscription.delivery
    )
    return Step(
      .exchange(exchanging),
      capture: options.capture,
      expectations: try expectations(options.expected, subjects),
      timeout: options.within
    )
  }

  /// Takes a word that says something of a write; false for any other.
  private mutating func take(
    _ word: LineWord,
    _ written: inout Written
  ) throws(LineError) -> Bool {
    if let colon = word.firstIndex(of: ":") {
      written.parts.append(try part(word, colon))
    } else if word.isPlain("offset") {
      written.offset = try offset()
    } else if !word.isValue, let kind = WriteKind(rawValue: word.text) {
      written.kind = kind
    } else {
      return false
    }
    return true
  }

  private func unknown(_ word: LineWord, among words: [String]) -> LineError {
    let known = words + WriteKind.allCases.map(\.rawValue)
    let others = words.dropLast().map { $0 + ", " }.joined() + "or " + (words.last ?? "")
    return LineError(
      Complaint(
        "'\(word.text)' stands here",
        expected: "a value such as u8:1, a kind of writing, \(others)",
        nearest: Complaint.nearest(to: word.text, among: known)
      ),
      at: word.place
    )
  }

  private func write(
    _ written: Written,
    to target: CharacteristicSelector
  ) throws(LineError) -> Write {
    guard !written.parts.isEmpty else {
      throw LineError(Complaint("no value", expected: "a value such as u8:1"), at: last.place)
    }
    let write: Write
    do {
      write = Write(
        try WrittenValue(written.parts),
        to: target,
        kind: written.kind,
        offset: written.offset,
        delivery: written.delivery
      )
    } catch {
      throw LineError(Complaint(error.problem), at: first.place)
    }
    if let complaint = write.contradiction { throw LineError(complaint, at: first.place) }
    return write
  }
}
