// When which blow strikes: events in, strokes out.
//
// Pure: no loop, no lock. Whoever plays it keeps the delays.

public import Signals

/// The blows of a scenario with their counts so far.
///
/// Each has randomness of its own, split by its place, and draws it for each event it matches.
public struct FaultSchedule: Sendable {
  /// A blow that is to strike, so much later.
  public struct Strike: Sendable, Hashable {
    public let blow: Int
    public let delay: Duration
  }

  private struct Entry {
    let blow: Blow
    /// Matching events, or strikes, so far.
    var count = 0
    var generator: SeededGenerator
  }

  private var entries: [Entry]

  public init(_ blows: [Blow], generator: SeededGenerator) {
    entries = blows.enumerated().map { index, blow in
      Entry(blow: blow, generator: generator.split("blow \(index + 1)"))
    }
  }

  /// Whether there is nothing to be played.
  public var isEmpty: Bool { entries.isEmpty }

  /// The start: blows that strike by the clock.
  public mutating func begin() -> [Strike] {
    entries.indices.compactMap { index in
      switch entries[index].blow.trigger {
      case .at(let delay, _, _): return Strike(blow: index, delay: delay)
      case .between(let earliest, let latest):
        let fraction = Double.random(in: 0..<1, using: &entries[index].generator)
        return Strike(blow: index, delay: earliest + (latest - earliest) * fraction)
      case .after: return nil
      }
    }
  }

  /// Something has happened.
  public mutating func happened(_ event: WorldEvent) -> [Strike] {
    entries.indices.compactMap { index in
      guard case .after(let pattern, let occurrence, let delay) = entries[index].blow.trigger,
        pattern.matches(event)
      else { return nil }
      entries[index].count += 1
      let isHit =
        switch occurrence {
        case .nth(let nth): entries[index].count == nth
        case .every(let step): step > 0 && entries[index].count.isMultiple(of: step)
        case .probability(let probability):
          Double.random(in: 0..<1, using: &entries[index].generator) < probability
        }
      return isHit ? Strike(blow: index, delay: delay) : nil
    }
  }

  /// A blow strikes: what is done now and later, and when it strikes again.
  public mutating func strike(
    _ index: Int,
    in surroundings: Surroundings
  ) -> (strokes: [Stroke], again: Strike?) {
    guard entries.indices.contains(index) else { return ([], nil) }
    let blow = entries[index].blow
    var again: Strike?
    if case .at(_, let every?, let times) = blow.trigger {
      entries[index].count += 1
      if entries[index].count < times ?? .max { again = Strike(blow: index, delay: every) }
    }
    return (surroundings.satisfy(blow.condition) ? blow.strokes : [], again)
  }
}
