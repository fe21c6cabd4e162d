// A part of a trace, as reports show it.

import Bluetooth

extension TraceSlice {
  /// `packets 17 to 42 of run.btsnoop, 2026-01-01T…Z to 2026-01-01T…Z`.
  var sentence: String {
    "packets \(packets.lowerBound) to \(packets.upperBound) of \(file), "
      + "\(Timestamp.text(times.lowerBound)) to \(Timestamp.text(times.upperBound))"
      + (before == 0 ? "" : ", after \(before) in files before it")
  }
}
