// Substitutes the captured values of a step, just before it runs.
//
// Variables of a chain file are a different thing: they are substituted while the file is read.

import Bluetooth
import Documents

/// A substitution of captured values in a step.
struct Filling {
  /// The lookup of a captured value, or of a field of one; nil if it is missing.
  let value: (VariablePath) -> DecodedValue?

  /// Returns the step with its captured values substituted.
  ///
  /// - Throws: `Problem` for a missing or unsuitable value.
  func filled(_ step: Step) throws(Problem) -> Step {
    let kind = step.action.kind
    guard !kind.mentions.isEmpty || !step.expectations.flatMap(\.check.references).isEmpty else {
      return step
    }
    var new = step
    new.expected = try filled(step.expected)
    new.action = try kind.filled(self).action
    return new
  }

  func filled(_ value: WrittenValue) throws(Problem) -> WrittenValue {
    if let fields = value.fields { return try filled(fields) }
    var parts: [WrittenValue.Part] = []
    for part in value.parts {
      parts.append(WrittenValue.Part(part.format, try filled(part.template)))
    }
    do {
      return try WrittenValue(parts)
    } catch {
      throw Problem("the value cannot be written with its captured values: \(error.problem)")
    }
  }

  private func filled(_ fields: WrittenFields) throws(Problem) -> WrittenValue {
    let content = try fields.content.filled { template throws(Problem) in try filled(template) }
    do {
      return try WrittenValue(WrittenFields(format: fields.format, content: content))
    } catch {
      throw Problem(
        "the value cannot be written with its captured values: \(error.field): \(error.problem)"
      )
    }
  }

  /// Substitutes captured values as a chain file spells them: all digits, no unit.
  func filled(_ template: MessageTemplate) throws(Problem) -> MessageTemplate {
    var text = ""
    for part in template.parts {
      switch part {
      case .text(let plain): text += plain
      case .value(let path): text += try self.text(path)
      case .calculation(let calculation): text += try self.text(calculation)
      }
    }
    return MessageTemplate(literal: text)
  }

  func filled(_ expected: Expected) throws(Problem) -> Expected {
    switch expected {
    case .values(let expectations): .values(try filled(expectations))
    case .failure: expected
    }
  }

  func filled(_ expectations: [Expectation]) throws(Problem) -> [Expectation] {
    var new: [Expectation] = []
    for expectation in expectations {
      new.append(Expectation(expectation.subject, try filled(expectation.check)))
    }
    return new
  }

  func filled(_ check: Check) throws(Problem) -> Check {
    guard case .captured(let relation, let path) = check else { return check }
    switch relation {
    case .equal: return .equal(try literal(path))
    case .notEqual: return .notEqual(try literal(path))
    case .above: return .above(try number(path))
    case .atLeast: return .atLeast(try number(path))
    case .below: return .below(try number(path))
    case .atMost: return .atMost(try number(path))
    }
  }

  // MARK: Values

  /// The result of a calculation as a chain file spells it.
  private func text(_ calculation: Calculation) throws(Problem) -> String {
    for path in calculation.paths { _ = try captured(path) }
    do throws(ExpressionFailure) {
      if let text = try calculation.value(value).written { return text }
    } catch {
      throw Problem("\(error)")
    }
    throw Problem("'\(calculation)' has several values: name one of them")
  }

  private func captured(_ path: VariablePath) throws(Problem) -> DecodedValue {
    if let value = value(path) { return value }
    if path.slice != nil, case .octets(let all)? = value(path.allBytes) {
      throw Problem("'\(path)': '\(path.whole)' has only \(counted(all.count, "byte"))")
    }
    throw Problem("'\(path)' was not captured: its step did not run, or has no such value")
  }

  private func number(_ path: VariablePath) throws(Problem) -> Bound {
    let value = try captured(path)
    if let number = Bound(value) { return number }
    throw Problem("'\(path)' is \(value), not a number")
  }

  private func literal(_ path: VariablePath) throws(Problem) -> Literal {
    let value = try captured(path)
    if case .fields = value.only {
      return Literal("\(value)", isQuoted: true)
    }
    return Literal(try text(path), isQuoted: value.number == nil)
  }

  /// The value as a chain file spells it.
  private func text(_ path: VariablePath) throws(Problem) -> String {
    let value = try captured(path)
    if let text = value.written { return text }
    throw Problem("'\(path)' has several fields: name one of them")
  }
}

extension DecodedValue {
  /// The value as a chain file spells it: all digits, no unit. Nil for several fields.
  fileprivate var written: String? {
    switch only {
    case .integer(let integer): "\(integer)"
    case .real(let real, _):
      real == real.rounded() && abs(real) < 1e15 ? "\(Int64(real))" : "\(real)"
    case .text(let text): text
    case .boolean(let truth): truth ? "true" : "false"
    case .octets: description
    case .fields: nil
    case .list(let values): values.count == 1 ? values[0].written : nil
    }
  }
}
