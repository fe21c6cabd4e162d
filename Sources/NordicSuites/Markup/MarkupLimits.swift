// How much a document may hold before it is refused.

/// Bounds on a document, so that a hostile file costs little.
public struct MarkupLimits: Hashable, Sendable {
  /// The longest file, in bytes.
  public var octets: Int
  /// How many elements may lie in one another.
  public var depth: Int
  /// How many elements there may be.
  public var elements: Int
  /// How many attributes one element may have.
  public var attributes: Int
  /// The longest text of one attribute, in bytes, variables filled in.
  public var attributeOctets: Int
  /// How many operations all runs may come to: a test that is run twice counts twice.
  public var operations: Int

  /// The usual bounds: 1 MiB, 16 deep, 20 000 elements of at most 24 attributes, 8 KiB each, and
  /// 100 000 operations.
  public init(
    octets: Int = 1 << 20,
    depth: Int = 16,
    elements: Int = 20_000,
    attributes: Int = 24,
    attributeOctets: Int = 8_192,
    operations: Int = 100_000
  ) {
    self.octets = octets
    self.depth = depth
    self.elements = elements
    self.attributes = attributes
    self.attributeOctets = attributeOctets
    self.operations = operations
  }
}
