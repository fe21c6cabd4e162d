// What is recorded of a run beside its steps.

import ArgumentParser

/// Whether what BlueZ is asked and answers is part of the results.
struct RecordOptions: ParsableArguments {
  /// What can be recorded.
  enum Content: String, ExpressibleByArgument, CaseIterable {
    /// Calls to BlueZ, their answers, and its signals.
    case calls
  }

  /// 16 MiB: some 50 000 messages.
  private static let usualLimit = 16 << 20

  @Option(
    help: """
      Record the calls to BlueZ, their answers and its signals, with --trace also the packets, in \
      JSON lines and in the journal. Failures have the last of them without it.
      """
  )
  var record: Content?

  @Option(
    help: ArgumentHelp(
      """
      How much --record may record: 500K, 16M. Later ones are only counted. \
      (default: \(SizeArgument(usualLimit)))
      """,
      valueName: "size"
    ),
    transform: SizeArgument.reading
  )
  var recordLimit = SizeArgument(usualLimit)

  /// How many octets messages and packets may take; nil where none are recorded.
  var limit: Int? {
    switch record {
    case .calls: recordLimit.octets
    case nil: nil
    }
  }
}
