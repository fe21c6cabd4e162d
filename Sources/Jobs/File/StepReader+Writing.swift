// Writes in a chain file: of a step, of a trigger, of an exchange.

import Bluetooth
import Documents

extension StepReader {
  /// The write of a `write` step or of a trigger: `write`, `value`, `kind`, `offset`, `delivery`.
  mutating func writing(_ reader: inout MappingReader) -> Write? {
    var write = written("write", &reader)
    let delivery: Write.Delivery? = choice("delivery", &reader)
    if let delivery { write?.delivery = delivery }
    return checked(write, &reader)
  }

  /// `exchange`, `value`, `kind`, `offset`: what is written; `answer`, `where`, `format`,
  /// `delivery`: what answers it.
  mutating func exchange(_ reader: inout MappingReader) -> Step? {
    let written = written("exchange", &reader)
    let write = checked(written, &reader)
    let answerNode = reader.optional("answer")
    let answer = answerNode.flatMap { selector($0) } ?? write?.target
    let format = format(&reader)
    let delivery: SubscriptionOptions.Delivery? = choice("delivery", &reader)
    let conditionNode = reader.optional("where")
    let capture = capture(&reader)
    let expectNode = reader.optional("expect")
    let timeout = timeout(&reader)
    guard let write, let answer else { return nil }
    let subjects = Subjects(of: answer, format: format, kind: .single)
    let exchanging = Exchanging(
      write,
      answer: answer,
      format: format,
      where: expectations(conditionNode, subjects),
      delivery: delivery ?? .signals
    )
    return Step(
      .exchange(exchanging),
      capture: capture,
      expectations: expectations(expectNode, subjects),
      timeout: timeout
    )
  }

  /// The target under `verb`, `value`, `kind` and `offset`.
  private mutating func written(_ verb: String, _ reader: inout MappingReader) -> Write? {
    let target = reader.required(verb, expected: "a characteristic").flatMap { selector($0) }
    let value = reader.required("value", expected: "a value such as { u8: 1 }").flatMap {
      self.value($0)
    }
    let kind: WriteKind? = choice("kind", &reader)
    let offset = offset(&reader)
    guard let target, let value else { return nil }
    return Write(value, to: target, kind: kind ?? .automatic, offset: offset)
  }

  /// A write that does not contradict itself.
  private mutating func checked(_ write: Write?, _ reader: inout MappingReader) -> Write? {
    guard let complaint = write?.contradiction else { return write }
    if let node = reader.optional("offset") ?? reader.optional("delivery") {
      complain(node, complaint)
    }
    return write
  }
}
