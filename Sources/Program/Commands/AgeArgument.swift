// An age on the command line.

import ArgumentParser
import Documents

/// How old something may be: `90d`, `12h`, `30m`.
struct AgeArgument: ExpressibleByArgument {
  let duration: Duration

  init?(argument: String) {
    if argument.last == "d", let days = Int(argument.dropLast()), (0...36_500).contains(days) {
      duration = .seconds(days * 86_400)
    } else if let written = Duration(written: argument) {
      duration = written
    } else {
      return nil
    }
  }
}
