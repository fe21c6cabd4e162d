// The result of converting a test of a suite: a chain file and its omissions.

public import Documents

/// A chain file, and the operations it omits.
public struct ConvertedChain: Hashable, Sendable {
  /// The suggested name of its file, such as `2-basics`.
  public let name: String
  /// The file, with the omitted operations as remarks.
  package let document: WrittenNode
  /// The number of steps; a file without steps is not a chain.
  public let steps: Int
  /// The omitted parts of the test, each with its place in the suite.
  public let omissions: [Omission]

  /// The lines of the file.
  public var lines: [String] { document.lines }
}

/// A part of a test that a chain cannot express.
public struct Omission: Hashable, Sendable, CustomStringConvertible {
  public let place: Place
  public let message: String

  public var description: String { "\(place): \(message)" }
}

extension Suite {
  /// Converts the tests that the suite runs, in order.
  ///
  /// - Parameter settings: The times that a suite does not specify.
  public func chains(_ settings: SuiteSettings = SuiteSettings()) -> [ConvertedChain] {
    runs.enumerated().map { index, test in
      var writer = ChainWriter(self, test, settings)
      return writer.chain(name: "\(index + 1)-\(Self.fileName(test.id))")
    }
  }

  /// Returns an identifier without characters that are unsuitable for file names.
  private static func fileName(_ id: String) -> String {
    let name = id.unicodeScalars.prefix(64).map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || "_-".unicodeScalars.contains(scalar) ? Character(scalar) : "-"
    }
    return name.isEmpty ? "test" : String(name)
  }
}
