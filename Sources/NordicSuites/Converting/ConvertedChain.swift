// A test of a suite as a chain file.

public import Documents

/// The lines of a chain, and what is not in it.
public struct ConvertedChain: Hashable, Sendable {
  /// What its file may be called: `2-basics`.
  public let name: String
  public let lines: [String]
  /// How many steps the chain has; a file without any is no chain.
  public let steps: Int
  /// What of the test is not expressed, each with its place in the suite.
  public let omissions: [Omission]
}

/// Something of a suite that a chain does not express.
public struct Omission: Hashable, Sendable, CustomStringConvertible {
  public let place: Place
  public let message: String

  public init(place: Place, message: String) {
    self.place = place
    self.message = message
  }

  public var description: String { "\(place): \(message)" }
}

extension Suite {
  /// The tests that are run, as chains, in order.
  ///
  /// - Parameter settings: The times that a suite does not write down.
  public func chains(_ settings: SuiteSettings = SuiteSettings()) -> [ConvertedChain] {
    runs.enumerated().map { index, test in
      var writer = ChainWriter(self, test, settings)
      return writer.chain(name: "\(index + 1)-\(Self.fileName(test.id))")
    }
  }

  /// An identifier without what a file name cannot have.
  private static func fileName(_ id: String) -> String {
    let name = id.unicodeScalars.prefix(64).map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || "_-".unicodeScalars.contains(scalar) ? Character(scalar) : "-"
    }
    return name.isEmpty ? "test" : String(name)
  }
}
