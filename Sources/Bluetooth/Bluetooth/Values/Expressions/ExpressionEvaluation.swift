// The value of an expression.

extension Expression {
  /// The value of a part.
  func value(
    of node: ExpressionNode, _ find: (Name) -> DecodedValue?
  ) throws(ExpressionFailure) -> DecodedValue {
    switch node.form {
    case .constant(let value): return value
    case .name(let index):
      if let value = find(names[index]) { return value }
      if dialect == .variables { return .integer(0) }
      throw .missing(names[index].text)
    case .prefix(let sign, let operand):
      if sign == .not { return .boolean(try !truth(of: operand, find)) }
      return try arithmetic(sign, nil, operand, in: node, find)
    case .infix(let sign, let left, let right):
      if sign == .or || sign == .and {
        let first = try truth(of: left, find)
        return .boolean(first == (sign == .or) ? first : try truth(of: right, find))
      }
      if ExpressionOperator.comparisons.contains(sign) {
        return .boolean(try holds(sign, left, right, find))
      }
      return try arithmetic(sign, left, right, in: node, find)
    case .call(let function, let arguments): return try call(function, arguments, find)
    case .field(let whole, let name):
      guard let value = try value(of: whole, find).member(name) else {
        throw .missing(text(of: node))
      }
      return value
    case .element(let whole, let index): return try element(of: whole, at: index, find)
    case .slice(let whole, let slice): return try part(of: whole, slice, find)
    }
  }

  /// A condition as true or false.
  func truth(
    of node: ExpressionNode, _ find: (Name) -> DecodedValue?
  ) throws(ExpressionFailure) -> Bool {
    let value = try value(of: node, find)
    if case .boolean(let truth) = value.only { return truth }
    if dialect == .variables { return ExpressionNumber(value)?.whole ?? 0 != 0 }
    throw .invalid("'\(text(of: node))' is \(value), neither true nor false")
  }

  // MARK: Numbers

  private func number(
    of node: ExpressionNode, _ find: (Name) -> DecodedValue?
  ) throws(ExpressionFailure) -> ExpressionNumber {
    let value = try value(of: node, find)
    if let number = ExpressionNumber(value) { return number }
    if dialect == .variables { return ExpressionNumber.zero }
    throw .invalid(ExpressionFailure.notNumber(value, text(of: node)))
  }

  private func whole(
    _ number: ExpressionNumber, of node: ExpressionNode
  ) throws(ExpressionFailure) -> Int128 {
    guard let whole = number.whole else {
      throw .invalid("'\(text(of: node))' is \(number.value), not a whole number")
    }
    return whole
  }

  /// - Parameter left: Nil for an operator in front of its operand.
  private func arithmetic(
    _ sign: ExpressionOperator, _ left: ExpressionNode?, _ right: ExpressionNode,
    in node: ExpressionNode, _ find: (Name) -> DecodedValue?
  ) throws(ExpressionFailure) -> DecodedValue {
    let a =
      try left.map { node throws(ExpressionFailure) in try number(of: node, find) }
      ?? ExpressionNumber.zero
    let b = try number(of: right, find)
    if dialect == .variables {
      return .integer(Self.limited(sign, a.whole ?? 0, b.whole ?? 0))
    }
    if sign.isOfBits {
      let a = try whole(a, of: left ?? right)
      return .integer(try bits(sign, a, try whole(b, of: right), in: node))
    }
    let result: ExpressionNumber? =
      switch sign {
      case .plus: .sum(a, b)
      case .minus: .difference(a, b)
      case .times: .product(a, b)
      case .divided: .quotient(a, b)
      case .dividedWhole:
        ExpressionNumber.wholeQuotient(a, b).map { ExpressionNumber(whole: $0) }
      case .or, .and, .not, .equal, .unequal, .less, .atMost, .more, .atLeast, .bitOr, .bitXor,
        .bitAnd, .left, .right, .remainder, .inverted:
        nil
      }
    if let result { return result.value }
    let isDivision = sign == .divided || sign == .dividedWhole
    if isDivision, b.double == 0 { throw .invalid("'\(text(of: node))' is a division by 0") }
    throw .invalid("'\(text(of: node))' has more than 128 bits")
  }

  private func bits(
    _ sign: ExpressionOperator, _ a: Int128, _ b: Int128, in node: ExpressionNode
  ) throws(ExpressionFailure) -> Int128 {
    switch sign {
    case .bitOr: return a | b
    case .bitXor: return a ^ b
    case .bitAnd: return a & b
    case .inverted: return ~b
    case .right where b >= 0: return a >> b
    case .left where b >= 0:
      guard a == 0 || b < 127, (a << b) >> b == a else {
        throw .invalid("'\(text(of: node))' has more than 128 bits")
      }
      return a << b
    case .left, .right: throw .invalid("'\(text(of: node))' shifts by \(b) bits")
    case .remainder:
      guard b != 0 else { throw .invalid("'\(text(of: node))' is a division by 0") }
      return a.remainderReportingOverflow(dividingBy: b).partialValue
    case .or, .and, .not, .equal, .unequal, .less, .atMost, .more, .atLeast, .plus, .minus, .times,
      .divided, .dividedWhole:
      return b
    }
  }

  /// Arithmetic that never fails, with products of at most 64 bits.
  private static func limited(_ sign: ExpressionOperator, _ a: Int128, _ b: Int128) -> Int128 {
    func saturated(_ result: (partialValue: Int128, overflow: Bool), _ isNegative: Bool) -> Int128 {
      result.overflow ? (isNegative ? .min : .max) : result.partialValue
    }
    func clamped(_ number: Int128) -> Int128 { Int128(Int64(clamping: number)) }
    switch sign {
    case .plus: return saturated(a.addingReportingOverflow(b), a < 0)
    case .minus: return saturated(a.subtractingReportingOverflow(b), a < 0)
    case .times:
      return clamped(saturated(a.multipliedReportingOverflow(by: b), (a < 0) != (b < 0)))
    case .divided, .dividedWhole:
      return b == 0 ? 0 : saturated(a.dividedReportingOverflow(by: b), false)
    case .remainder: return b == 0 ? 0 : a.remainderReportingOverflow(dividingBy: b).partialValue
    case .bitOr: return a | b
    case .bitXor: return a ^ b
    case .bitAnd: return a & b
    case .inverted: return ~b
    case .left:
      guard b < 64, b >= 0 else { return a == 0 ? 0 : clamped(a < 0 ? .min : .max) }
      return clamped(clamped(a) << b)
    case .right: return b < 0 ? 0 : clamped(a) >> b
    case .or, .and, .not, .equal, .unequal, .less, .atMost, .more, .atLeast: return b
    }
  }

  // MARK: Comparison

  /// Whether two operands are in a relation. A number and a text, such as a reading that is
  /// "unknown", are unequal and in no order.
  private func holds(
    _ relation: ExpressionOperator, _ left: ExpressionNode, _ right: ExpressionNode,
    _ find: (Name) -> DecodedValue?
  ) throws(ExpressionFailure) -> Bool {
    let (a, b) = (try value(of: left, find).only, try value(of: right, find).only)
    if let a = ExpressionNumber(a), let b = ExpressionNumber(b) {
      return ExpressionNumber.holds(a, relation, b)
    }
    switch (a, b) {
    case (.text(let a), .text(let b)): return relation.holds(a, b)
    case (.octets, .text(let text)): return relation.holds("\(a)", Self.digits(text))
    case (.text(let text), .octets): return relation.holds(Self.digits(text), "\(b)")
    case (.octets, .octets), (.list, .list):
      if relation == .equal { return a == b }
      if relation == .unequal { return a != b }
    case (.integer, .text), (.real, .text), (.boolean, .text), (.text, .integer), (.text, .real),
      (.text, .boolean):
      return relation == .unequal
    case (.fields, _): throw .invalid(ExpressionFailure.notNumber(a, text(of: left)))
    case (_, .fields): throw .invalid(ExpressionFailure.notNumber(b, text(of: right)))
    case (.integer, _), (.real, _), (.boolean, _), (.octets, _), (.text, _), (.list, _): break
    }
    throw .invalid("'\(text(of: left))' is \(a), which cannot be compared with \(b)")
  }

  /// A text as hexadecimal digits, as bytes are printed.
  private static func digits(_ text: String) -> String {
    text.lowercased().filter { !" :-".contains($0) }
  }

  // MARK: Parts

  private func element(
    of whole: ExpressionNode, at place: ExpressionNode, _ find: (Name) -> DecodedValue?
  ) throws(ExpressionFailure) -> DecodedValue {
    let all = try value(of: whole, find).only
    let index = try self.whole(try number(of: place, find), of: place)
    let values: [DecodedValue]
    switch all {
    case .octets(let octets): values = octets.map { .integer(Int128($0)) }
    case .list(let list): values = list
    case .integer, .real, .text, .boolean, .fields:
      throw .invalid(Self.notList(all, text(of: whole)))
    }
    let found = index < 0 ? Int128(values.count) + index : index
    guard let place = Int(exactly: found), values.indices.contains(place) else {
      throw .invalid("'\(text(of: whole))' has no value \(index): there are only \(values.count)")
    }
    return values[place]
  }

  private func part(
    of whole: ExpressionNode, _ slice: ByteSlice, _ find: (Name) -> DecodedValue?
  ) throws(ExpressionFailure) -> DecodedValue {
    let all = try value(of: whole, find).only
    let (part, count): (DecodedValue?, Int) =
      switch all {
      case .octets(let octets): (slice.part(of: octets).map { .octets($0) }, octets.count)
      case .list(let list): (slice.part(of: list).map { .list($0) }, list.count)
      case .integer, .real, .text, .boolean, .fields:
        throw .invalid(Self.notList(all, text(of: whole)))
      }
    guard let part else {
      throw .invalid("'\(text(of: whole))\(slice)': there are only \(count)")
    }
    return part
  }

  private static func notList(_ value: DecodedValue, _ shown: String) -> String {
    "'\(shown)' is \(value), neither bytes nor a list"
  }

  private func call(
    _ function: ExpressionFunction, _ arguments: [ExpressionNode], _ find: (Name) -> DecodedValue?
  ) throws(ExpressionFailure) -> DecodedValue {
    do throws(ExpressionFailure) {
      return try result(of: function, arguments, find)
    } catch {
      if dialect == .variables { return .integer(0) }
      throw error
    }
  }

  private func result(
    of function: ExpressionFunction, _ arguments: [ExpressionNode],
    _ find: (Name) -> DecodedValue?
  ) throws(ExpressionFailure) -> DecodedValue {
    switch function {
    case .len:
      let value = try value(of: arguments[0], find).only
      switch value {
      case .octets(let octets): return .integer(Int128(octets.count))
      case .list(let list): return .integer(Int128(list.count))
      case .text(let text): return .integer(Int128(text.count))
      case .integer, .real, .boolean, .fields:
        throw .invalid("'\(text(of: arguments[0]))' is \(value), which has no length")
      }
    case .abs:
      let number = try number(of: arguments[0], find)
      let isNegative = ExpressionNumber.holds(number, .less, ExpressionNumber.zero)
      guard isNegative else { return number.value }
      return (ExpressionNumber.difference(ExpressionNumber.zero, number) ?? number).value
    case .round:
      let decimals =
        arguments.count < 2 ? 0 : try whole(number(of: arguments[1], find), of: arguments[1])
      guard (0...15).contains(decimals) else { throw .invalid("'\(decimals)' is not from 0 to 15") }
      return try number(of: arguments[0], find).rounded(decimals: Int(decimals)).value
    case .hex:
      let value = try value(of: arguments[0], find).only
      if case .octets = value { return .text("\(value)") }
      let digits = String(try whole(number(of: arguments[0], find), of: arguments[0]), radix: 16)
      return .text(digits.count == 1 ? "0\(digits)" : digits)
    case .min, .max, .sum, .mean, .distinct, .sum8, .xor8, .crc8, .crc16, .crc32:
      return try total(of: function, arguments, find)
    }
  }

  private func total(
    of function: ExpressionFunction, _ arguments: [ExpressionNode],
    _ find: (Name) -> DecodedValue?
  ) throws(ExpressionFailure) -> DecodedValue {
    var name: String?
    if case .constant(.text(let text))? = arguments.dropFirst().first?.form { name = text }
    var total = ExpressionTotal(function, checksum: name)
    let first = try value(of: arguments[0], find).only
    if case .list(let values) = first, arguments.count == 1, !function.takesOctets {
      for value in values { try total.add(value, shown: text(of: arguments[0])) }
    } else {
      try total.add(first, shown: text(of: arguments[0]))
      for argument in arguments.dropFirst() where !function.takesOctets {
        try total.add(value(of: argument, find), shown: text(of: argument))
      }
    }
    return try total.value(shown: text(of: arguments[0]))
  }
}

extension DecodedValue {
  /// A field; of a list, those of its elements that have it. Nil where there is none.
  package func member(_ name: String) -> DecodedValue? {
    switch self {
    case .fields: return self[name]
    case .list(let values):
      let members = values.compactMap { $0.member(name) }
      return members.isEmpty && !values.isEmpty ? nil : .list(members)
    case .integer, .real, .text, .boolean, .octets: return nil
    }
  }
}
