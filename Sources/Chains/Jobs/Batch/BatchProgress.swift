// The progress of a batch, as one line.

/// Counts, a bar and the remaining time. Pure: the caller passes times.
public struct BatchProgress: Equatable, Sendable {
  /// The number of devices.
  public let total: Int
  /// The number of devices that ended before the round began or was resumed.
  private let before: Int
  /// When the round began, on any clock.
  private let begun: Duration
  private var done = 0
  private var failed = 0
  /// The tenths of all devices that were printed as plain lines.
  private var printedTenths = 0

  /// The width of the bar, in characters.
  static let barWidth = 24

  /// The progress of a round that has just begun.
  ///
  /// ```swift
  /// let progress = BatchProgress(total: 100, begun: .zero)
  /// print(progress.line(at: .seconds(30), width: 80))
  /// ```
  ///
  /// - Parameters:
  ///   - total: The number of devices.
  ///   - begun: When the round began.
  ///   - counts: The devices that ended before.
  public init(total: Int, begun: Duration, before counts: BatchCounts = BatchCounts()) {
    self.total = total
    self.begun = begun
    before = counts.done
    done = counts.done
    failed = counts.failed
    printedTenths = total == 0 ? 0 : done * 10 / total
  }

  /// Updates the counts when a device has ended.
  ///
  /// ```swift
  /// var progress = BatchProgress(total: 100, begun: .zero)
  /// let receive: (BatchEvent) -> Void = { event in
  ///   guard case .deviceEnded(_, _, let counts) = event.change else { return }
  ///   if progress.take(counts) { print(progress.text(at: event.offset)) }
  /// }
  /// ```
  ///
  /// - Returns: Whether to print a plain line: another tenth of the devices is done.
  public mutating func take(_ counts: BatchCounts) -> Bool {
    done = counts.done
    failed = counts.failed
    let tenth = total == 0 ? 10 : done * 10 / total
    defer { printedTenths = max(printedTenths, tenth) }
    return tenth > printedTenths
  }

  /// `[#####---] 12/100 devices, 1 failed, 3m20s left`.
  ///
  /// - Parameters:
  ///   - now: The current time, on the clock of `begun`.
  ///   - width: The maximum width in characters. When it is too small, the bar is omitted and the
  ///     text is truncated.
  public func line(at now: Duration, width: Int) -> String {
    let filled = total == 0 ? Self.barWidth : Self.barWidth * done / total
    let bar =
      String(repeating: "#", count: filled)
      + String(repeating: "-", count: Self.barWidth - filled)
    let text = text(at: now)
    let whole = "[\(bar)] \(text)"
    return whole.count <= width ? whole : String(text.prefix(width))
  }

  /// `12/100 devices, 1 failed, 3m20s left`.
  public func text(at now: Duration) -> String {
    let failures = failed == 0 ? "" : ", \(failed) failed"
    let rest = remaining(at: now).map { ", \(Self.written($0)) left" } ?? ""
    return "\(done)/\(total) devices\(failures)\(rest)"
  }

  /// The remaining time at the average speed so far; nil before the first device has ended.
  public func remaining(at now: Duration) -> Duration? {
    guard done > before, done < total else { return nil }
    return (now - begun) / (done - before) * (total - done)
  }

  /// Seconds below a minute, otherwise the two largest units.
  private static func written(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    switch seconds {
    case ..<60: return "\(max(1, seconds))s"
    case ..<3600: return "\(seconds / 60)m\(seconds % 60)s"
    default: return "\(seconds / 3600)h\(seconds / 60 % 60)m"
    }
  }
}
