// The layout of a standard value, from which it is both decoded and encoded.

/// The parts of a value in the order in which they are sent.
///
/// One description serves both directions, so that decoding and encoding cannot disagree. Parts
/// with the same name are alternatives: a heart rate in one octet or in two.
struct ValueLayout: Sendable {
  /// The name of the value in errors.
  let name: String
  let parts: [ValuePart]
  /// Whether the value is a single unnamed field: a text, or a named number.
  let isBare: Bool
  /// Whether it is a description of a user's, whose fields depend on each other by expressions.
  let isDescribed: Bool
  /// Whether a field depends on others.
  let usesScope: Bool

  /// Whether the value begins with its size.
  var hasSize: Bool { if case .size? = parts.first?.kind { true } else { false } }

  init(_ name: String, _ parts: [ValuePart]) {
    self.name = name
    self.parts = parts
    (isBare, isDescribed, usesScope) = (false, false, false)
  }

  /// A value that a user describes.
  init(described name: String, _ parts: [ValuePart], isBare: Bool = false) {
    self.name = name
    self.parts = parts
    self.isBare = isBare
    isDescribed = true
    usesScope = parts.contains(where: \.usesScope)
  }

  /// A value that is one field without a name.
  init(bare name: String, _ format: FieldFormat) {
    self.name = name
    parts = [.field(name, format)]
    (isBare, isDescribed, usesScope) = (true, false, false)
  }

  /// A value that is one quantity.
  init(
    _ name: String, _ format: FieldFormat, _ unit: String? = nil,
    in range: ClosedRange<Double>? = nil
  ) {
    self.init(name, [.field(name, format, unit, in: range)])
  }

  /// The names of the fields that a decoded value can have, without duplicates.
  var fieldNames: [String] {
    guard !isBare else { return [] }
    return parts.flatMap(\.fieldNames).reduce(into: []) { names, name in
      if !names.contains(name) { names.append(name) }
    }
  }

  /// Decodes a value.
  ///
  /// Reserved bits are ignored. Octets after the known fields are the field `further`: later
  /// versions of a specification add fields at the end.
  ///
  /// - Throws: ``ValueError`` when there are too few octets, or a field is out of its range.
  func decode(_ octets: [UInt8]) throws(ValueError) -> DecodedValue {
    var reader = OctetReader(octets)
    let scope = usesScope ? FieldScope(inside: nil) : nil
    scope?.record = octets
    let fields = try fields(&reader, scope)
    let rest = reader.rest
    if isBare, fields.count == 1, rest.isEmpty { return fields[0].value }
    return .fields(rest.isEmpty ? fields : fields + [.init(DecodedValue.further, .octets(rest))])
  }

  /// Decodes the value of a group, which may have octets behind its fields.
  func value(
    _ reader: inout OctetReader, inside outer: FieldScope?
  ) throws(ValueError) -> DecodedValue {
    let fields = try fields(&reader, usesScope ? FieldScope(inside: outer) : nil)
    return isBare && fields.count == 1 ? fields[0].value : .fields(fields)
  }

  /// The fields of a layout so far.
  struct Progress {
    /// The offset of the layout.
    let base: Int
    let scope: FieldScope?
    /// The part that is read.
    var index = 0
    /// The beginning of that part; nil before it.
    var start: Int?
    var flags: UInt64 = 0
    var fields: [DecodedValue.Field] = []
    /// The end of the parts that stand before one with an offset.
    var furthest: Int

    fileprivate init(_ layout: ValueLayout, at base: Int, _ scope: FieldScope?) {
      self.base = base
      self.scope = scope
      furthest = base
      fields.reserveCapacity(layout.parts.count)
    }
  }

  /// Reads the fields of the layout, or goes on where octets were missing.
  ///
  /// - Parameter scope: The fields that expressions may name; those of a layout that was begun
  ///   have their own.
  func fields(
    _ reader: inout OctetReader, _ scope: FieldScope?
  ) throws(ValueError) -> [DecodedValue.Field] {
    var progress: Progress
    if case .layout(let begun)? = reader.resume() {
      progress = begun
    } else {
      progress = Progress(self, at: reader.position, scope)
    }
    do {
      while progress.index < parts.count { try read(&progress, &reader) }
      if progress.furthest > reader.position { try reader.move(to: progress.furthest, name) }
    } catch {
      if reader.isShort {
        reader.suspend(.layout(progress), at: progress.start ?? reader.position)
      }
      throw error
    }
    return progress.fields
  }

  /// Reads the next part, or goes on with it.
  private func read(
    _ progress: inout Progress, _ reader: inout OctetReader
  ) throws(ValueError) {
    let (part, base, scope) = (parts[progress.index], progress.base, progress.scope)
    let start: Int
    if let begun = progress.start {
      start = begun
    } else {
      guard part.presence.holds(progress.flags, remaining: reader.remaining, scope) else {
        progress.index += 1
        return
      }
      if let offset = part.offset {
        progress.furthest = max(progress.furthest, reader.position)
        try reader.move(to: base + offset, part.title)
      }
      start = reader.position
      try reader.visit(part.title)
      if reader.isOpen { progress.start = start }
    }
    switch part.kind {
    case .flags(let count):
      progress.flags = try reader.unsigned(count, part.name)
    case .size:
      try reader.size(part.name)
    case .selector(let names):
      progress.flags = try reader.unsigned(1, part.name)
      progress.fields.append(.init(part.name, .text(names.name(progress.flags))))
    case .field(let format):
      let value = try format.read(&reader, part.title, scope)
      try value.check(in: part.range, part.name, at: start)
      if let conversion = part.conversion { progress.fields.append(conversion.field(value)) }
      let field = DecodedValue.Field(part.name, value, unit: part.unit)
      progress.fields.append(field)
      scope?.add(field, start..<reader.position)
    case .flagged(let field):
      progress.fields.append(try field.field(in: progress.flags, at: 0))
    case .split(let count, let bitFields):
      let word = try reader.unsigned(count, part.name)
      for field in bitFields { progress.fields.append(try field.field(in: word, at: start)) }
    case .unused(let octets):
      _ = try reader.bytes(octets.count, part.name)
    case .checksum:
      try Self.check(reader.octets[..<start], Array(try reader.bytes(2, part.name)))
    case .constant(let right):
      let found = Array(try reader.bytes(right.count, part.name))
      if found != right {
        throw Self.mismatch(part.name, .octets(right), .octets(found), at: start)
      }
    case .padding(let padding):
      _ = try reader.bytes(padding.count(at: start - base, reader.remaining), part.name)
    case .computed(let format, let computation):
      let value = try format.read(&reader, part.name, scope)
      let scope = scope ?? FieldScope(inside: nil)
      scope.add(DecodedValue.Field(part.name, value), start..<reader.position)
      if case .value(let expression) = computation, expression.isOfRecord, reader.defersCheck() {
        break
      }
      let right = try computation.octets(format, part.name, reader.octets, at: start, scope)
      let found = Array(reader.octets[start..<reader.position])
      guard found != right else { break }
      switch computation {
      case .checksum:
        throw Self.mismatch(part.name, .octets(right), .octets(found), at: start)
      case .value:
        var expected = OctetReader(right)
        let wanted = try format.read(&expected, part.name)
        throw Self.mismatch(part.name, wanted, value, at: start)
      }
    case .noCase(let selector):
      let shown = (try? scope.map { try selector.value(in: $0) }).flatMap { $0 }
      throw ValueError(
        field: part.name, octet: start, problem: "no case for \(shown ?? .text("no value"))",
        isOutOfRange: true
      )
    }
    progress.index += 1
    progress.start = nil
  }

  private static func mismatch(
    _ field: String, _ expected: DecodedValue, _ found: DecodedValue, at octet: Int
  ) -> ValueError {
    ValueError(
      field: field, octet: octet, problem: "expected \(expected), found \(found)",
      isOutOfRange: true
    )
  }

  /// The constant with which every value begins; empty if there is none.
  var leadingConstant: [UInt8] {
    guard let first = parts.first, first.presence == .always,
      case .constant(let octets) = first.kind
    else { return [] }
    return octets
  }

  /// The records of a notification: several where records begin with their size, and the sizes add
  /// up to all of it.
  func records(in octets: [UInt8]) -> [[UInt8]] {
    var records: [[UInt8]] = []
    var rest = octets[...]
    while hasSize, let size = rest.first.map({ Int($0) }), size > 0, size <= rest.count {
      records.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return rest.isEmpty && !records.isEmpty ? records : [octets]
  }

  private static func check(_ octets: ArraySlice<UInt8>, _ sent: [UInt8]) throws(ValueError) {
    let right = Checksum.octets(of: octets)
    guard sent != right else { return }
    let (shown, expected) = (DecodedValue.octets(sent), DecodedValue.octets(right))
    throw ValueError(
      field: "crc", octet: octets.endIndex, problem: "expected \(expected), found \(shown)",
      isOutOfRange: true
    )
  }
}

extension ValueLayout {
  /// The octets of a value.
  ///
  /// The given fields determine the flags. A field that is printed in two units is taken in the one
  /// in which it was sent. A value that is not a list of fields is the value of the first field.
  /// Flag fields that are not given are 0.
  ///
  /// - Throws: ``ValueError`` for a field that is missing, unknown, not of its format, or that
  ///   cannot be sent with the others. Its octet is 0.
  func encode(_ value: DecodedValue) throws(ValueError) -> [UInt8] {
    if isDescribed {
      var writer = OctetWriter()
      let scope = FieldScope(inside: nil)
      try write(value, &writer, scope)
      return try writer.settled(scope)
    }
    var plan = EncodingPlan(self, fields(of: value))
    try plan.checkNames()
    try plan.decide()
    try plan.checkPresence()
    return try plan.octets()
  }

  func fields(of value: DecodedValue) -> [DecodedValue.Field] {
    if case .fields(let fields) = value { return fields }
    let first = parts.first { !$0.fieldNames.isEmpty }
    return [DecodedValue.Field(first?.fieldNames.last ?? name, value)]
  }
}

extension ValuePart {
  /// Whether it depends on other fields.
  fileprivate var usesScope: Bool {
    if case .when = presence { return true }
    switch kind {
    case .computed, .noCase: return true
    case .field(let format): return format.usesScope
    case .flags, .size, .selector, .flagged, .split, .unused, .checksum, .constant, .padding:
      return false
    }
  }
}

extension FieldFormat {
  fileprivate var usesScope: Bool {
    switch self {
    case .sized(.expression, _), .repeated(.expression, _): true
    case .sized(_, let format), .repeated(_, let format), .list(let format): format.usesScope
    case .layout(let layout): layout.usesScope
    case .adjusted: true
    case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .text, .octets, .half, .rest,
      .enumeration, .word, .real, .address, .terminated, .moment:
      false
    }
  }
}

/// The parts that are sent, and the flags that indicate them.
private struct EncodingPlan {
  private let layout: ValueLayout
  private let given: [DecodedValue.Field]
  private var flags: UInt64 = 0
  /// The mask of the flag bits that are already determined.
  private var decided: UInt64 = 0
  /// The indices of the parts to send.
  private var sent: Set<Int> = []

  init(_ layout: ValueLayout, _ given: [DecodedValue.Field]) {
    self.layout = layout
    self.given = given
  }

  private func value(_ name: String) -> DecodedValue? { given.first { $0.name == name }?.value }

  private func problem(_ field: String, _ text: String) -> ValueError {
    ValueError(field: field, octet: 0, problem: text)
  }

  func checkNames() throws(ValueError) {
    let names = layout.parts.flatMap(\.fieldNames) + [DecodedValue.further]
    for field in given where !names.contains(field.name) {
      throw problem(field.name, "unknown field of \(layout.name)")
    }
  }

  /// Chooses the parts for the given fields.
  mutating func decide() throws(ValueError) {
    // A field that is also printed in another unit is sent in its own.
    let converted = layout.parts.compactMap { part in
      value(part.name) == nil ? nil : part.conversion?.name
    }
    for (index, part) in layout.parts.enumerated() {
      switch part.kind {
      case .flags, .size, .unused, .checksum, .constant, .padding, .computed, .noCase: break
      case .selector(let names):
        guard let name = value(part.name) else { throw problem(part.name, "missing") }
        guard let number = names.number(name.description), number <= 0xff else {
          throw problem(part.name, "unknown name '\(name)'")
        }
        flags = number
        decided = .max
      case .field:
        let isFirst = layout.parts.firstIndex { $0.name == part.name } == index
        guard isFirst, !converted.contains(part.name), let value = value(part.name) else { break }
        try choose(part.name, value)
      case .flagged(let field):
        guard let value = value(part.name) else { break }
        let bits = try field.bits(value)
        guard settle(part.presence), settle(.bits(mask: field.mask, value: bits)) else {
          throw problem(part.name, "cannot be sent with the other fields")
        }
      case .split(_, let fields):
        guard fields.contains(where: { value($0.name) != nil }) else { break }
        guard settle(part.presence) else {
          throw problem(part.name, "cannot be sent with the other fields")
        }
        sent.insert(index)
      }
    }
    for case .unless(let bit) in layout.parts.map(\.presence) where decided >> bit & 1 == 0 {
      flags |= 1 << bit
    }
  }

  /// Chooses the first alternative that has room for the value and agrees with the flags.
  private mutating func choose(_ name: String, _ value: DecodedValue) throws(ValueError) {
    var failure: ValueError?
    for (index, part) in layout.parts.enumerated() where part.name == name {
      guard case .field(let format) = part.kind else { continue }
      do throws(ValueError) {
        var scratch = OctetWriter()
        try format.write(value, &scratch, name)
      } catch {
        failure = error
        continue
      }
      if settle(part.presence) {
        sent.insert(index)
        return
      }
    }
    throw failure ?? problem(name, "cannot be sent with the other fields")
  }

  /// Sets the flags for a part; false when they are already determined otherwise.
  private mutating func settle(_ presence: Presence) -> Bool {
    let (mask, value): (UInt64, UInt64)
    switch presence {
    case .bits(let bits, let set): (mask, value) = (bits, set)
    case .unless(let bit): (mask, value) = (1 << bit, 0)
    case .always, .oneOf, .noneOf, .ifMore, .ifMoreFor, .when:
      return presence.holds(flags, remaining: .max)
    }
    guard (flags ^ value) & mask & decided == 0 else { return false }
    flags = flags & ~mask | value
    decided |= mask
    return true
  }

  /// Checks that the parts that the flags indicate are sent.
  func checkPresence() throws(ValueError) {
    for (index, part) in layout.parts.enumerated() where !sent.contains(index) {
      switch part.kind {
      case .flags, .size, .selector, .flagged, .unused, .checksum, .constant, .padding, .computed,
        .noCase:
        break
      case .field, .split:
        guard part.presence.holds(flags, remaining: 0) else { break }
        throw problem(part.fieldNames.first ?? part.name, "missing")
      }
    }
  }

  func octets() throws(ValueError) -> [UInt8] {
    var writer = OctetWriter()
    for (index, part) in layout.parts.enumerated() {
      switch part.kind {
      // A placeholder: the size is known at the end.
      case .size: writer.append([0])
      case .flags(let count): writer.append(flags, octets: count)
      case .selector: writer.append(flags, octets: 1)
      case .field(let format):
        guard sent.contains(index), let value = value(part.name) else { break }
        try format.write(value, &writer, part.name)
      // Descriptions are written by RecordWriting.swift.
      case .flagged, .constant, .padding, .computed, .noCase: break
      case .unused(let octets):
        if part.presence.holds(flags, remaining: 0) { writer.append(octets) }
      case .checksum:
        guard part.presence.holds(flags, remaining: 0) else { break }
        writer.append(Checksum.octets(of: writer.octets[...]))
      case .split(let count, let fields):
        guard sent.contains(index) else { break }
        var word: UInt64 = 0
        for field in fields {
          if let value = value(field.name) {
            word |= try field.bits(value)
          } else if !field.isOptional {
            throw problem(field.name, "missing")
          }
        }
        writer.append(word, octets: count)
      }
    }
    if layout.hasSize { writer.set(UInt8(clamping: writer.octets.count), at: 0) }
    if let further = value(DecodedValue.further) {
      try FieldFormat.rest.write(further, &writer, DecodedValue.further)
    }
    return writer.octets
  }
}
