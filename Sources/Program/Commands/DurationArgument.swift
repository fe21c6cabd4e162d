// A duration on the command line.

import ArgumentParser
import Documents

/// A duration with its unit: `10s`, `500ms`, `2m`, `1h`.
struct DurationArgument: CustomStringConvertible {
  let duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  /// - Throws: `ValidationError` with what is expected.
  static func reading(_ argument: String) throws -> DurationArgument {
    if let duration = Duration(written: argument) { return DurationArgument(duration) }
    throw ValidationError(
      Duration(written: argument + "s") == nil
        ? "expected a duration such as 10s, 500ms or 2m" : "add a unit: \(argument)s"
    )
  }

  var description: String { "\(duration.components.seconds)s" }
}
