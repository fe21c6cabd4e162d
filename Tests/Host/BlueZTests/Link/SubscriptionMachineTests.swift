// The subscription of a characteristic: tables of moves and what follows from them; then all
// interleavings.

import Bluetooth
import Fixtures
import Signals
import Testing

@testable import BlueZ

private let stays = SubscriptionOptions(onLinkLoss: .resume), fails = SubscriptionOptions()
private let acquires = SubscriptionOptions(delivery: .acquire, onLinkLoss: .resume)
private let limited = SubscriptionOptions(startLimit: .seconds(5))

/// A story: the options of A, and of B if it does not fail at a loss; moves; calls and deliveries.
struct SubscriptionStory: CustomTestStringConvertible {
  let testDescription: String
  let options: [SubscriptionOptions]
  let moves: String
  let story: String

  init(_ name: String, _ options: [SubscriptionOptions], _ moves: String, _ story: String) {
    (testDescription, self.options, self.moves, self.story) = (name, options, moves, story)
  }

  static let all = [
    SubscriptionStory(
      "two leave, the first one first", [stays],
      "joinA joinB grant leaveA leaveB stopped",
      "start 1, began 1, began 2, ended 1, stop 2, ended 2"
    ),
    SubscriptionStory(
      "two leave, the second one first", [stays],
      "joinA grant joinB leaveB leaveA stopped",
      "start 1, began 1, began 2, ended 2, stop 2, ended 1"
    ),
    SubscriptionStory(
      "one that resumes and one that fails", [stays],
      "joinA joinB grant down up grant",
      "start 1, began 1, began 2, ended 2 link-lost, reconnect, start 2, gap 1 0-0"
    ),
    SubscriptionStory(
      "B1: drop before reply", [stays],
      "joinA grant down up down grant later up grant",
      "start 1, began 1, reconnect, start 2, reconnect, start 3, gap 1 0-0"
    ),
    SubscriptionStory(
      "B1: drop behind reply", [stays],
      "joinA grant down up grant down later up grant",
      "start 1, began 1, reconnect, start 2, gap 1 0-0, reconnect, start 3, gap 1 0-0"
    ),
    SubscriptionStory(
      "B2: unanswered, and the step ends", [stays],
      "joinA grant down up leaveA stopped",
      "start 1, began 1, reconnect, start 2, stop 3, ended 1 open 0-0"
    ),
    SubscriptionStory(
      "B2: never answered: another one", [stays],
      "joinA grant down up later later grant leaveA stopped",
      "start 1, began 1, reconnect, start 2, start 3, gap 1 0-35, stop 4, ended 1"
    ),
    SubscriptionStory(
      "B2: refused, and the step ends in the pause", [stays],
      "joinA grant down up refuse leaveA stopped",
      "start 1, began 1, reconnect, start 2, stop 3, ended 1 open 0-0"
    ),
    SubscriptionStory(
      "no link comes: it gives up, with the open gap", [acquires],
      "joinA grant down later",
      "start 1, began 1, close 1, reconnect, ended 1 link-lost open 0-120"
    ),
    SubscriptionStory(
      "a late reply for nobody", [fails],
      "joinA leaveA grant stopped",
      "start 1, ended 1, stop 2"
    ),
    SubscriptionStory(
      "a late reply for the next one", [fails],
      "joinA leaveA joinA grant",
      "start 1, ended 1, began 2"
    ),
    SubscriptionStory(
      "no reply for nobody", [fails],
      "joinA leaveA later stopped",
      "start 1, ended 1, stop 2"
    ),
    SubscriptionStory(
      "a refusal of one delivery", [acquires],
      "joinA joinB refuse grant",
      "start 1, ended 1 busy, start 2, began 2"
    ),
    SubscriptionStory(
      "a late socket that nobody wants", [acquires],
      "joinA leaveA grant stopped",
      "start 1, ended 1, stop 2, close 1"
    ),
    SubscriptionStory(
      "a late socket where signals are wanted", [acquires],
      "joinA leaveA joinB grant stopped grant",
      "start 1, ended 1, stop 2, close 1, start 3, began 2"
    ),
    SubscriptionStory(
      "a late socket of an earlier link", [acquires],
      "joinA down up grant",
      "start 1, ended 1 link-lost, close 1"
    ),
    SubscriptionStory(
      "a kept session before acquiring", [stays, acquires],
      "joinA joinB grant down leaveA up stopped grant",
      "start 1, began 1, began 2, reconnect, ended 1 open 0-0, stop 2, start 3, gap 2 0-0"
    ),
    SubscriptionStory(
      "a socket that ends with its link", [acquires],
      "joinA grant socketEnds down up grant",
      "start 1, began 1, close 1, reconnect, start 2, gap 1 0-0"
    ),
    SubscriptionStory(
      "a socket that ends without a reason", [acquires],
      "joinA grant socketEnds later",
      "start 1, began 1, close 1, ended 1 refused"
    ),
    SubscriptionStory(
      "withdrawn and restored", [stays],
      "joinA joinB grant withdraw restore grant",
      "start 1, began 1, began 2, ended 2 link-lost, start 2, gap 1 0-0"
    ),
    SubscriptionStory(
      "withdrawn and never restored", [stays],
      "joinA grant withdraw later",
      "start 1, began 1, ended 1 link-lost open 0-120"
    ),
    SubscriptionStory(
      "a value before the reply ends the gap", [stays],
      "joinA grant down up value grant leaveA stopped",
      "start 1, began 1, reconnect, start 2, gap 1 0-0, stop 3, ended 1"
    ),
    SubscriptionStory(
      "a disconnection of ours ends it", [stays],
      "joinA grant disconnect stopped",
      "start 1, began 1, ended 1 not-connected, stop 2"
    ),
    SubscriptionStory(
      "a drop at the first start fails it", [stays],
      "joinA down",
      "start 1, ended 1 link-lost, stop 2"
    ),
    SubscriptionStory(
      "one that comes during a stop", [fails],
      "joinA grant leaveA joinB stopped grant",
      "start 1, began 1, stop 2, ended 1, start 3, began 2"
    ),
    SubscriptionStory(
      "a limit to start", [limited],
      "joinA later grant stopped",
      "start 1, ended 1 timed-out, stop 2"
    ),
  ]
}

@Suite("Subscription machine")
struct SubscriptionMachineTests {
  @Test("moves lead to calls and deliveries", arguments: SubscriptionStory.all)
  func story(_ row: SubscriptionStory) {
    var world = SubscriptionWorld(row.options[0], row.options.count > 1 ? row.options[1] : fails)
    for name in row.moves.split(separator: " ") {
      let isPossible = SubscriptionMove(rawValue: String(name)).map { world.make($0) }
      #expect(isPossible == true, "\(name) after \(world.log)")
    }
    #expect(world.log.joined(separator: ", ") == row.story)
    world.close(.grant)
    #expect(world.problems == [])
  }

  @Test(
    "no order of moves breaks a promise",
    arguments: [(stays, fails), (stays, acquires), (acquires, fails)]
  )
  func interleavings(_ a: SubscriptionOptions, _ b: SubscriptionOptions) {
    // All of them are millions.
    let most = testsEverything ? 6 : 3
    let starts: [[SubscriptionMove]] = [
      [], [.joinA, .grant], [.joinA, .grant, .joinB, .down], [.joinA, .joinB, .grant, .down, .up],
      [.joinA, .leaveA, .joinB, .later],
    ]
    var failures: [String] = []
    for start in starts {
      var world = SubscriptionWorld(a, b)
      for move in start { _ = world.make(move) }
      explore(world, start, most, &failures)
    }
    #expect(failures == [])
  }

  @Test(
    "a call to begin that times out has its own name in the error",
    arguments: [(stays, "StartNotify"), (acquires, "AcquireNotify")]
  )
  func timedOut(_ options: SubscriptionOptions, call: String) throws {
    var machine = SubscriptionMachine(link: 1, limits: SubscriptionMachine.Limits(BlueZLimits()))
    _ = machine.apply(.subscribe(1, options), at: .start)
    let endings = machine.apply(.timePassed, at: .start + .seconds(40)).compactMap { action in
      if case .ended(_, let ending?, _) = action { ending.error as? TimedOut } else { nil }
    }
    #expect(endings.map(\.operation) == [call])
  }

  @Test("a limit to start that is longer than that of a request is waited for")
  func longStartLimit() {
    let limits = SubscriptionMachine.Limits(BlueZLimits())
    var machine = SubscriptionMachine(link: 1, limits: limits)
    let limit = limits.attribute + .seconds(25)
    _ = machine.apply(.subscribe(1, SubscriptionOptions(startLimit: limit)), at: .start)
    #expect(machine.deadline == .start + limit)
  }

  /// Plays all further moves, and ends each of their orders in four ways.
  private func explore(
    _ world: SubscriptionWorld, _ path: [SubscriptionMove], _ left: Int, _ failures: inout [String]
  ) {
    for answer in [nil, SubscriptionMove.grant, .refuse, .later] {
      var end = world
      if let answer { end.close(answer) } else { end.recover() }
      if !end.problems.isEmpty, failures.count < 5 {
        failures.append("\(path.map(\.rawValue)): \(end.problems) \(end.log)")
      }
    }
    guard left > 0, world.problems.isEmpty else { return }
    for move in SubscriptionMove.allCases {
      var next = world
      if next.make(move) { explore(next, path + [move], left - 1, &failures) }
    }
  }
}
