// The kinds of attributes that have names.

/// A service, a characteristic or a descriptor.
public enum AttributeKind: String, Hashable, Sendable, CaseIterable {
  /// A service.
  case service
  /// A characteristic.
  case characteristic
  /// A descriptor.
  case descriptor

  /// The assigned names of this kind.
  var table: NameTable {
    switch self {
    case .service: AssignedNumbers.services
    case .characteristic: AssignedNumbers.characteristics
    case .descriptor: AssignedNumbers.descriptors
    }
  }
}
