// A duration on the command line.

import ArgumentParser
import Documents

extension Duration {
  /// One in which something can happen.
  ///
  /// - Throws: `ValidationError` for zero, and as ``argument(_:)``.
  static func positiveArgument(_ argument: String) throws -> Duration {
    let duration = try Self.argument(argument)
    guard duration > .zero else {
      throw ValidationError("expected \(Duration.expected), found '\(argument)'")
    }
    return duration
  }

  /// A duration with its unit: `10s`, `500ms`, `2m`, `1h`.
  ///
  /// - Throws: `ValidationError` with what is expected.
  static func argument(_ argument: String) throws -> Duration {
    if let duration = Duration(written: argument) { return duration }
    throw ValidationError(
      Duration(written: argument + "s") == nil
        ? "expected a duration such as 10s, 500ms or 2m" : "add a unit: \(argument)s"
    )
  }
}
