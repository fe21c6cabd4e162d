// How far a batch is, as one line.

/// Counts, a bar, and how long the rest may take. Pure: times come with each question.
public struct BatchProgress: Equatable, Sendable {
  /// How many devices there are.
  public let total: Int
  /// How many of them had ended before the round began, or went on.
  private let before: Int
  /// When the round began, on any clock.
  private let begun: Duration
  private var done = 0
  private var failed = 0
  /// The tenths of all devices that were told as a plain line.
  private var told = 0

  /// How many characters the bar has.
  static let barWidth = 24

  /// - Parameter counts: How devices ended before.
  public init(total: Int, begun: Duration, before counts: BatchCounts = BatchCounts()) {
    self.total = total
    self.begun = begun
    before = counts.done
    done = counts.done
    failed = counts.failed
    told = total == 0 ? 0 : done * 10 / total
  }

  /// Takes up that a device has ended.
  ///
  /// - Returns: Whether this is worth a plain line: another tenth of the devices is done.
  public mutating func take(_ counts: BatchCounts) -> Bool {
    done = counts.done
    failed = counts.failed
    let tenth = total == 0 ? 10 : done * 10 / total
    defer { told = max(told, tenth) }
    return tenth > told
  }

  /// `[#####---] 12/100 devices, 1 failed, 3m20s left`.
  ///
  /// - Parameters:
  ///   - now: On the clock of the beginning.
  ///   - width: How many characters there may be: where it is too narrow, the bar is left out, and
  ///     what does not fit is cut off.
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

  /// How long the rest takes when it goes on as until now; nil before anything is known.
  public func remaining(at now: Duration) -> Duration? {
    guard done > before, done < total else { return nil }
    return (now - begun) / (done - before) * (total - done)
  }

  /// Seconds below a minute, else the two largest units.
  private static func written(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    switch seconds {
    case ..<60: return "\(max(1, seconds))s"
    case ..<3600: return "\(seconds / 60)m\(seconds % 60)s"
    default: return "\(seconds / 3600)h\(seconds / 60 % 60)m"
    }
  }
}
