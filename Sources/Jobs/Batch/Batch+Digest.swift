// Whether a batch is still what it was.

extension Batch {
  /// What is done, on which devices: the steps with their values, line by line, and the devices or
  /// the scan that finds them.
  ///
  /// How it is done is not in it, and may change for who goes on with a batch: how many run at once,
  /// what a failure means, how often a chain is tried, limits of time, how the link is made, and the
  /// schedule.
  public var work: [String] {
    switch devices {
    case .listed(let devices): Self.groups(devices.map(\.bare))
    case .scanned(let scan): ["those of scan \(scan)"] + scan.example.bare.plan.lines
    }
  }

  /// 16 hexadecimal digits, equal for equal ``work``.
  public var digest: String {
    RunIdentity(seed: 0, text: work.joined(separator: "\n")).description
  }

  /// The first line of ``work`` in which it differs from a batch of before, each as it stands there.
  ///
  /// - Parameter lines: What ``lines`` were then.
  public func difference(from lines: [String]) -> (then: String?, now: String?)? {
    let (old, new) = (Self.body(lines), Self.body(self.lines))
    func line(_ lines: [String], _ index: Int) -> String? {
      lines.indices.contains(index) ? lines[index] : nil
    }
    for index in 0..<max(old.count, new.count) where line(old, index) != line(new, index) {
      return (line(old, index), line(new, index))
    }
    return nil
  }

  /// What comes after the head, without the lines that tell how.
  private static func body(_ lines: [String]) -> [String] {
    let how = ["timeout   ", "retry     ", "link      ", "device    ", "adapter   "]
    return lines.drop { !$0.isEmpty }.filter { line in !how.contains { line.hasPrefix($0) } }
  }
}

extension BatchDevice {
  /// With one value for all that may change.
  fileprivate var bare: BatchDevice {
    var device = self
    device.plan.timeout = .seconds(1)
    device.plan.retry = RetryRule(attempts: 1, backoff: .zero)
    device.plan.link = LinkRule()
    return device
  }
}
