// Detects whether a batch changed since an earlier run.

import RunEvents

extension Batch {
  /// The devices and their steps with values, line by line; for a scan, the scan and an example
  /// chain.
  ///
  /// Settings that may change before a batch is resumed are not included: concurrency, failure
  /// rule, retries, timeouts, connection settings, the gateways and the interval.
  public var work: [String] {
    switch devices {
    case .listed(let devices): Self.groups(devices.map(\.bare))
    case .scanned(let scan): ["those of scan \(scan)"] + scan.example.bare.plan.lines
    }
  }

  /// A digest of ``work``, as 16 hexadecimal digits.
  ///
  /// ```swift
  /// let batch = try Batch.load(path: "fleet.yaml")
  /// print(batch.digest)  // note it, and compare it before a batch is resumed
  /// ```
  public var digest: String {
    RunIdentity(seed: 0, text: work.joined(separator: "\n")).description
  }

  /// Finds the first line of ``work`` that differs from an earlier batch.
  ///
  /// ```swift
  /// let earlier = try Batch.load(path: "fleet.old.yaml").lines
  /// if let change = try Batch.load(path: "fleet.yaml").difference(from: earlier) {
  ///   print("was:", change.then ?? "nothing", "is:", change.now ?? "nothing")
  /// }
  /// ```
  ///
  /// - Parameter lines: The ``lines`` of the earlier batch.
  /// - Returns: The earlier and the current line, nil for the one whose batch is shorter; nil
  ///   altogether if both batches do the same work.
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

  /// The lines after the head, without settings that may change before a batch is resumed.
  private static func body(_ lines: [String]) -> [String] {
    let how = [
      "timeout   ", "retry     ", "link      ", "device    ", "adapter   ", "pin       ",
      "prefer    ",
    ]
    return lines.drop { !$0.isEmpty }.filter { line in !how.contains { line.hasPrefix($0) } }
  }
}

extension BatchDevice {
  /// The device with fixed values for settings that may change before a batch is resumed.
  fileprivate var bare: BatchDevice {
    var device = self
    device.plan.timeout = .seconds(1)
    device.plan.retry = RetryRule(attempts: 1, backoff: .zero)
    device.plan.link = LinkRule()
    device.placement = Placement()
    return device
  }
}
