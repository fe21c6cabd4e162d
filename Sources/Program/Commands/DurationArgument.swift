// A duration on the command line.

import ArgumentParser
import Documents

/// A duration with its unit: `10s`, `500ms`, `2m`, `1h`.
struct DurationArgument: ExpressibleByArgument {
  let duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  init?(argument: String) {
    guard let duration = Duration(written: argument) else { return nil }
    self.duration = duration
  }

  var defaultValueDescription: String { "\(duration.components.seconds)s" }
}
