// The progress of a batch in one line: counts, a bar and the remaining time.
//
// It prints nothing, and it reads no clock: the caller passes the time.

import RunEvents

/// The progress of a round.
public struct BatchProgress: Equatable, Sendable {
  public let total: Int
  /// The number of devices that ended in an earlier, interrupted run of the round.
  private let before: Int
  /// The start of the round, on the clock that the caller uses.
  private let begun: Duration
  private var done = 0
  private var failed = 0
  private var apart = EndsApart()
  /// The progress already printed as plain lines, in tenths of all devices.
  private var printedTenths = 0

  /// The width of the bar, in characters.
  static let barWidth = 24

  /// Creates the progress at the start of a round.
  ///
  /// ```swift
  /// let progress = BatchProgress(total: 100, begun: .zero)
  /// print(progress.line(at: .seconds(30), width: 80))
  /// ```
  ///
  /// - Parameters:
  ///   - total: The number of devices.
  ///   - begun: The start of the round.
  ///   - counts: The outcomes of an earlier, interrupted run of the round.
  public init(total: Int, begun: Duration, before counts: BatchCounts = BatchCounts()) {
    self.total = total
    self.begun = begun
    before = counts.done
    done = counts.done
    (failed, apart) = (counts.failed, counts.apart)
    printedTenths = total == 0 ? 0 : done * 10 / total
  }

  /// Updates the counts after a device ended.
  ///
  /// ```swift
  /// var progress = BatchProgress(total: 100, begun: .zero)
  /// let receive: (BatchEvent) -> Void = { event in
  ///   guard case .deviceEnded(_, _, let counts) = event.change else { return }
  ///   if progress.update(with: counts) { print(progress.text(at: event.offset)) }
  /// }
  /// ```
  ///
  /// - Returns: Whether to print a plain line: another tenth of the devices ended.
  public mutating func update(with counts: BatchCounts) -> Bool {
    done = counts.done
    (failed, apart) = (counts.failed, counts.apart)
    let tenth = total == 0 ? 10 : done * 10 / total
    defer { printedTenths = max(printedTenths, tenth) }
    return tenth > printedTenths
  }

  /// The bar and the text: `[#####---] 12/100 devices, 1 failed, 3m20s left`.
  ///
  /// - Parameters:
  ///   - now: The current time, on the clock of `begun`.
  ///   - width: The maximum width in characters. If it is too small, the bar is omitted and the
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

  /// The text without a bar: `12/100 devices, 1 failed, 3m20s left`.
  public func text(at now: Duration) -> String {
    let failures = failed == 0 ? "" : ", \(failed) failed\(apart.text)"
    let rest = remaining(at: now).map { ", \(Self.written($0)) left" } ?? ""
    return "\(done)/\(total) devices\(failures)\(rest)"
  }

  /// The remaining time at the average speed so far; nil before the first device of this run ended.
  public func remaining(at now: Duration) -> Duration? {
    guard done > before, done < total else { return nil }
    return (now - begun) / (done - before) * (total - done)
  }

  /// The duration in seconds below a minute, otherwise in its two largest units.
  private static func written(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    switch seconds {
    case ..<60: return "\(max(1, seconds))s"
    case ..<3600: return "\(seconds / 60)m\(seconds % 60)s"
    default: return "\(seconds / 3600)h\(seconds / 60 % 60)m"
    }
  }
}
