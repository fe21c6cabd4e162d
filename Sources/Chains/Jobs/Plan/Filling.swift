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
    switch check {
    case .captured(let relation, let path):
      return try self.check(relation, try captured(path), "\(path)")
    case .calculated(let relation, let calculation):
      return try self.check(relation, try result(of: calculation), "\(calculation)")
    case .equal, .notEqual, .above, .atLeast, .below, .atMost, .between, .oneOf, .masked, .like,
      .counts:
      return check
    }
  }

  /// - Parameter name: The words for the value in failures.
  private func check(
    _ relation: Check.Relation, _ value: DecodedValue, _ name: String
  ) throws(Problem) -> Check {
    switch relation {
    case .equal: return .equal(try literal(value, name))
    case .notEqual: return .notEqual(try literal(value, name))
    case .above, .atLeast, .below, .atMost:
      guard let check = Bound(value).flatMap({ relation.check($0) }) else {
        throw Problem("'\(name)' is \(value), not a number")
      }
      return check
    }
  }

  // MARK: Values

  /// The result of a calculation as a chain file spells it.
  private func text(_ calculation: Calculation) throws(Problem) -> String {
    if let text = try result(of: calculation).written { return text }
    throw Problem("'\(calculation)' has several values: name one of them")
  }

  private func result(of calculation: Calculation) throws(Problem) -> DecodedValue {
    for path in calculation.paths { _ = try captured(path) }
    do throws(ExpressionFailure) {
      return try calculation.value(value)
    } catch {
      throw Problem("\(error)")
    }
  }

  private func captured(_ path: VariablePath) throws(Problem) -> DecodedValue {
    if let value = value(path) { return value }
    if path.slice != nil, case .octets(let all)? = value(path.allBytes) {
      throw Problem("'\(path)': '\(path.whole)' has only \(counted(all.count, "byte"))")
    }
    throw Problem("'\(path)' was not captured: its step did not run, or has no such value")
  }

  private func literal(_ value: DecodedValue, _ name: String) throws(Problem) -> Literal {
    if case .fields = value.only {
      return Literal("\(value)", isQuoted: true)
    }
    return Literal(try text(value, name), isQuoted: value.number == nil)
  }

  private func text(_ path: VariablePath) throws(Problem) -> String {
    try text(captured(path), "\(path)")
  }

  /// The value as a chain file spells it.
  private func text(_ value: DecodedValue, _ name: String) throws(Problem) -> String {
    if let text = value.written { return text }
    throw Problem("'\(name)' has several fields: name one of them")
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
