// The ends and the sizes of the parts of a description, which its limits and its pieces need.

extension ValuePart {
  /// Whether it takes all octets to the end.
  var takesRest: Bool {
    guard case .field(let format) = kind else {
      if case .padding(.end) = kind { return true }
      return false
    }
    return format.takesRest
  }

  /// The field whose end does not follow from the fields, and why; nil if there is none.
  var endlessness: (field: String, reason: String)? {
    if case .when(let condition) = presence {
      if condition.isOptional { return (name, "is present if bytes are left") }
      if condition.isOfRecord { return (name, "depends on 'record'") }
    }
    switch kind {
    case .field(let format), .computed(let format, _): return format.endlessness(of: name)
    case .padding(.end): return (name, "takes all bytes to the end")
    case .padding, .flags, .size, .selector, .flagged, .split, .unused, .checksum, .constant,
      .noCase:
      return nil
    }
  }
}

extension FieldFormat {
  var takesRest: Bool {
    switch self {
    case .text, .rest, .list: true
    case .layout(let layout):
      layout.parts.last.map { $0.takesRest && $0.presence == .always } ?? false
    case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .octets, .half, .enumeration,
      .word, .real, .address, .terminated, .sized, .repeated, .adjusted, .moment:
      false
    }
  }

  /// The field whose end does not follow from the fields before, and why; nil if there is none.
  fileprivate func endlessness(of name: String) -> (field: String, reason: String)? {
    switch self {
    case .text, .half, .rest, .list: return (name, "takes all bytes to the end")
    case .layout(let layout): return layout.parts.lazy.compactMap(\.endlessness).first
    case .sized(let count, _):
      // The size is the end of what is in it.
      return count.isOfRecord ? (name, "has a size of 'record'") : nil
    case .repeated(let count, let format):
      return count.isOfRecord
        ? (name, "has a number of values of 'record'") : format.endlessness(of: name)
    case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .octets, .enumeration, .word,
      .real, .address, .terminated, .adjusted, .moment:
      return nil
    }
  }
}

extension FieldCount {
  /// Whether it follows from the length of the whole value.
  fileprivate var isOfRecord: Bool {
    switch self {
    case .expression(let count): count.isOfRecord
    case .fixed, .preceding: false
    }
  }
}

extension ValueLayout {
  /// The number of its fields with those of groups in it, and of the levels of groups.
  var extent: (fields: Int, depth: Int) {
    parts.reduce((fields: parts.count, depth: 1)) { extent, part in
      let format: FieldFormat
      switch part.kind {
      case .field(let own), .computed(let own, _): format = own
      case .flags, .size, .selector, .flagged, .split, .unused, .checksum, .constant, .padding,
        .noCase:
        return extent
      }
      let inner = format.group?.extent ?? (fields: 0, depth: 0)
      return (extent.fields + inner.fields, max(extent.depth, 1 + inner.depth))
    }
  }
}

extension FieldFormat {
  /// The group that it is, or that its values are; nil for other formats.
  fileprivate var group: ValueLayout? {
    switch self {
    case .layout(let layout): layout
    case .sized(_, let format), .repeated(_, let format), .list(let format): format.group
    case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .text, .octets, .half, .rest,
      .enumeration, .word, .real, .address, .terminated, .adjusted, .moment:
      nil
    }
  }
}
