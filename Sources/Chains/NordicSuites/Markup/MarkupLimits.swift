// Limits on a document; one that exceeds them is refused.

/// Limits on a document, so that a hostile file costs little time and memory.
public struct MarkupLimits: Hashable, Sendable {
  /// The maximum length of the file, in bytes.
  public var bytes = 1 << 20
  /// The maximum nesting of elements.
  public var depth = 16
  /// The maximum number of elements.
  public var elements = 20_000
  /// The maximum number of attributes of an element.
  public var attributes = 24
  /// The maximum length of an attribute with its variables filled in, in bytes.
  public var attributeBytes = 8_192
  /// The maximum number of operations in all runs: a test that is run twice counts twice.
  public var operations = 100_000

  /// The defaults.
  public init() {}
}
