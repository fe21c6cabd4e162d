// Limits on a document; one that exceeds them is refused.

/// Limits on a document, so that a hostile file costs little time and memory.
public struct MarkupLimits: Hashable, Sendable {
  /// The maximum length of the file, in bytes.
  public var bytes: Int
  /// The maximum nesting of elements.
  public var depth: Int
  /// The maximum number of elements.
  public var elements: Int
  /// The maximum number of attributes of an element.
  public var attributes: Int
  /// The maximum length of an attribute with its variables filled in, in bytes.
  public var attributeBytes: Int
  /// The maximum number of operations in all runs: a test that is run twice counts twice.
  public var operations: Int

  /// The defaults: 1 MiB, 16 deep, 20 000 elements of at most 24 attributes, 8 KiB each, and
  /// 100 000 operations.
  public init(
    bytes: Int = 1 << 20,
    depth: Int = 16,
    elements: Int = 20_000,
    attributes: Int = 24,
    attributeBytes: Int = 8_192,
    operations: Int = 100_000
  ) {
    self.bytes = bytes
    self.depth = depth
    self.elements = elements
    self.attributes = attributes
    self.attributeBytes = attributeBytes
    self.operations = operations
  }
}
