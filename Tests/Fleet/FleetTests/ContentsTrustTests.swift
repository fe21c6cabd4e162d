// Losses of the connection at every moment of a check of the store's contents.

import FleetNATS
import Signals
import Testing

@Suite("The trust in the contents of a store")
struct ContentsTrustTests {
  private enum Event {
    case lost
    case madeAgain
    /// A request had no reply, this long after the start.
    case unanswered(Duration)
    case found(ContentsTrust.Finding)
  }

  /// What follows from an event.
  private enum Effect: Equatable {
    case nothing
    case check
    case checkAfterPause
  }

  /// Plays events; a check that follows at once from the end of another one is begun.
  private func play(_ events: [Event]) -> (effects: [Effect], isTrusted: Bool) {
    var trust = ContentsTrust()
    let effects = events.map { event -> Effect in
      switch event {
      case .lost:
        trust.lost()
        return .nothing
      case .madeAgain: return trust.madeAgain(at: .start) ? .check : .nothing
      case .unanswered(let time):
        return trust.begin(after: .seconds(5), at: .start + time) ? .check : .nothing
      case .found(let finding):
        switch trust.end(finding) {
        case .none: return .nothing
        case .now: return trust.begin(at: .start) ? .check : .nothing
        case .afterPause: return .checkAfterPause
        }
      }
    }
    return (effects, trust.isTrusted)
  }

  @Test("a lost connection ends the trust, and the check after it restores it")
  func restored() {
    let lost = play([.lost, .madeAgain])
    #expect(lost.effects == [.nothing, .check] && !lost.isTrusted)
    for finding in [ContentsTrust.Finding.known, .replaced] {
      let found = play([.lost, .madeAgain, .found(finding)])
      #expect(found.effects == [.nothing, .check, .nothing] && found.isTrusted)
    }
  }

  @Test("a connection that is made again during a check without one is checked after it")
  func madeDuringCheck() {
    // The check found no connection; before its result is handled, there is one.
    let again = play([.unanswered(.zero), .lost, .madeAgain, .found(.disconnected)])
    #expect(again.effects == [.check, .nothing, .nothing, .check] && !again.isTrusted)
    let still = play([.unanswered(.zero), .lost, .found(.disconnected), .madeAgain])
    #expect(still.effects == [.check, .nothing, .nothing, .check])
  }

  @Test("a check does not vouch for the contents behind a later connection")
  func lostDuringCheck() {
    for finding in [ContentsTrust.Finding.known, .replaced] {
      let lost = play([.lost, .madeAgain, .lost, .found(finding)])
      #expect(lost.effects == [.nothing, .check, .nothing, .nothing] && !lost.isTrusted)
      let made = play([.lost, .madeAgain, .lost, .madeAgain, .found(finding)])
      #expect(made.effects.suffix(2) == [.nothing, .check] && !made.isTrusted)
      let known = play([.lost, .madeAgain, .lost, .madeAgain, .found(finding), .found(.known)])
      #expect(known.effects.last == .nothing && known.isTrusted)
    }
  }

  @Test("a failed check is repeated only while the contents are not trusted")
  func failed() {
    let trusted = play([.unanswered(.zero), .found(.failed), .unanswered(.seconds(4))])
    #expect(trusted.effects == [.check, .nothing, .nothing] && trusted.isTrusted)
    let later = play([.unanswered(.zero), .found(.failed), .unanswered(.seconds(5))])
    #expect(later.effects.last == .check)
    let lost = play([.lost, .madeAgain, .found(.failed)])
    #expect(lost.effects.last == .checkAfterPause && !lost.isTrusted)
  }
}
