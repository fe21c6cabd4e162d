// Whether a batch is still what it was.

extension Batch {
  /// What is done, on which devices: the chains with their values, line by line, and the devices or
  /// the scan that finds them.
  ///
  /// How many run at once, what a failure means, the deadline and the schedule are not in it: who
  /// goes on with a batch may change them.
  public var work: [String] {
    switch devices {
    case .listed: Array(lines.dropFirst(head.count))
    case .scanned(let scan): ["those of scan \(scan)"] + lines.dropFirst(head.count)
    }
  }

  /// 16 hexadecimal digits, equal for equal ``work``.
  public var digest: String {
    RunIdentity(seed: 0, text: work.joined(separator: "\n")).description
  }
}
