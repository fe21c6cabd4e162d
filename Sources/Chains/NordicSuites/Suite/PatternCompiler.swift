// The compiler from the text of a pattern to instructions.
//
// DataPattern runs them.

import Documents

/// Compiles one pattern. Jumps are relative, so that compiled parts can simply be concatenated.
struct PatternCompiler {
  typealias Instruction = DataPattern.Instruction

  /// The maximum number of instructions of a pattern.
  static let mostInstructions = 2_000
  /// The maximum nesting of groups.
  private static let mostDepth = 16
  private static let all = Set(UInt8(0x20)...0x7e)

  private let octets: [UInt8]
  private var index = 0

  init(_ text: String) {
    octets = Array(text.utf8)
  }

  mutating func program() throws(Problem) -> [Instruction] {
    let program = try choice(depth: 0)
    guard index == octets.count else { throw Problem("a ')' has no matching '('") }
    return program + [.found]
  }

  // MARK: Parts

  private mutating func choice(depth: Int) throws(Problem) -> [Instruction] {
    guard depth <= Self.mostDepth else { throw Problem("its groups are nested too deep") }
    var branches = [try sequence(depth: depth)]
    while skip("|") { branches.append(try sequence(depth: depth)) }
    var result = branches.removeLast()
    while let branch = branches.popLast() {
      // Either this branch, followed by a jump past the others, or the others.
      result = [.split(1, branch.count + 2)] + branch + [.jump(result.count + 1)] + result
      try check(result)
    }
    return result
  }

  private mutating func sequence(depth: Int) throws(Problem) -> [Instruction] {
    var result: [Instruction] = []
    while let octet = peek, octet != UInt8(ascii: "|"), octet != UInt8(ascii: ")") {
      result += try repeated(atom(depth: depth))
      try check(result)
    }
    return result
  }

  private mutating func atom(depth: Int) throws(Problem) -> [Instruction] {
    guard let octet = peek else { return [] }
    index += 1
    switch octet {
    case UInt8(ascii: "("):
      if skip("?"), !skip(":") { throw Problem("'(?' is not supported") }
      let inner = try choice(depth: depth + 1)
      guard skip(")") else { throw Problem("a '(' is not closed") }
      return inner
    case UInt8(ascii: "["): return [.match(try members())]
    case UInt8(ascii: "."): return [.match(Self.all)]
    case UInt8(ascii: "^"): return [.atStart]
    case UInt8(ascii: "$"): return [.atEnd]
    case UInt8(ascii: "\\"): return [.match(try escaped())]
    case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"):
      let sign = UnicodeScalar(octet)
      throw Problem("'\(sign)' has nothing to repeat")
    default: return [.match([octet])]
    }
  }

  private mutating func escaped() throws(Problem) -> Set<UInt8> {
    guard let octet = peek else { throw Problem("it ends in '\\'") }
    index += 1
    switch octet {
    case UInt8(ascii: "d"): return Set(UInt8(ascii: "0")...UInt8(ascii: "9"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      let letter = UnicodeScalar(octet)
      throw Problem("'\\\(letter)' is not supported")
    default: return [octet]
    }
  }

  private mutating func members() throws(Problem) -> Set<UInt8> {
    let isInverted = skip("^")
    var members: Set<UInt8> = []
    var isFirst = true
    while let octet = peek, isFirst || octet != UInt8(ascii: "]") {
      isFirst = false
      index += 1
      let low = octet == UInt8(ascii: "\\") ? try escaped() : [octet]
      guard low.count == 1, let bound = low.first, peek == UInt8(ascii: "-"),
        index + 1 < octets.count, octets[index + 1] != UInt8(ascii: "]")
      else {
        members.formUnion(low)
        continue
      }
      let high = octets[index + 1]
      index += 2
      guard bound <= high else { throw Problem("a range in [ ] goes backwards") }
      members.formUnion(bound...high)
    }
    guard skip("]") else { throw Problem("a '[' is not closed") }
    return isInverted ? Self.all.subtracting(members) : members
  }

  // MARK: Repetitions

  private mutating func repeated(_ atom: [Instruction]) throws(Problem) -> [Instruction] {
    var result = atom
    while let (least, most) = try count() {
      // A lazy repetition finds the same matches, so the `?` is ignored.
      _ = skip("?")
      result = try repeated(result, least, most)
    }
    return result
  }

  private func repeated(
    _ part: [Instruction], _ least: Int, _ most: Int?
  ) throws(Problem) -> [Instruction] {
    let copies = most ?? least + 1
    guard (part.count + 2) * max(1, copies) <= Self.mostInstructions else {
      throw Problem("it compiles to more than \(Self.mostInstructions) steps")
    }
    let needed = Array(repeating: part, count: least).flatMap(\.self)
    let optional = [.split(1, part.count + 1)] + part
    guard let most else {
      return needed + [.split(1, part.count + 2)] + part + [.jump(-part.count - 1)]
    }
    return needed + Array(repeating: optional, count: most - least).flatMap(\.self)
  }

  /// Parses a repetition: `*`, `+`, `?`, `{2}`, `{2,}` or `{2,5}`. Returns nil if there is none.
  private mutating func count() throws(Problem) -> (Int, Int?)? {
    if skip("*") { return (0, nil) }
    if skip("+") { return (1, nil) }
    if skip("?") { return (0, 1) }
    guard skip("{") else { return nil }
    let least = number()
    let isOpen = skip(",")
    let most = isOpen ? number() : least
    guard let least, skip("}"), isOpen || most != nil, least <= most ?? least else {
      throw Problem("invalid count in { }")
    }
    return (least, most)
  }

  private mutating func number() -> Int? {
    let start = index
    while let octet = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) { index += 1 }
    guard index - start <= 4 else { return nil }
    return Int(String(decoding: octets[start..<index], as: UTF8.self))
  }

  // MARK: Octets

  private var peek: UInt8? { index < octets.count ? octets[index] : nil }

  private mutating func skip(_ sign: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: sign) else { return false }
    index += 1
    return true
  }

  private func check(_ program: [Instruction]) throws(Problem) {
    guard program.count > Self.mostInstructions else { return }
    throw Problem("it compiles to more than \(Self.mostInstructions) steps")
  }
}
