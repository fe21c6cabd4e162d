// Random chains of operators, compared with the same operations on lists.

import Fixtures
import Signals
import Testing

/// The values that an instantaneous signal sends, and whether it then fails.
private struct Model: Equatable {
  var values: [Int]
  var fails: Bool

  /// The output of operators that send only a result of all values, on completion.
  func onCompletion(_ results: ([Int]) -> [Int]) -> Model {
    Model(values: fails ? [] : results(values), fails: fails)
  }

  func each(_ change: ([Int]) -> [Int]) -> Model { Model(values: change(values), fails: fails) }

  /// A chain that stops its source at some value completes, although the source would fail.
  func stopping(at count: Int?) -> Model {
    guard let count else { return self }
    return Model(values: Array(values.prefix(count)), fails: false)
  }
}

/// An operator by its name, by its signal and by its law.
private struct Link: Sendable {
  let name: String
  let signal: @Sendable (Signal<Int>) -> Signal<Int>
  let model: @Sendable (Model) -> Model

  static let all: [Link] = passing + ending + inTime + joining

  static let passing: [Link] = [
    Link(name: "map", signal: { $0.map { $0 * 2 } }, model: { $0.each { $0.map { $0 * 2 } } }),
    Link(
      name: "filter", signal: { $0.filter { $0 % 3 != 0 } },
      model: { $0.each { $0.filter { $0 % 3 != 0 } } }
    ),
    Link(
      name: "scan", signal: { $0.scan(1) { $0 &+ $1 } },
      model: { model in
        var sum = 1
        return model.each { values in
          values.map { value in
            sum = sum &+ value
            return sum
          }
        }
      }
    ),
    Link(name: "startWith", signal: { $0.startWith(7) }, model: { $0.each { [7] + $0 } }),
    Link(name: "skip", signal: { $0.skip(2) }, model: { $0.each { Array($0.dropFirst(2)) } }),
    Link(
      name: "distinctUntilChanged", signal: { $0.distinctUntilChanged() },
      model: { model in
        model.each { values in
          values.enumerated().filter { $0 == 0 || values[$0 - 1] != $1 }.map(\.1)
        }
      }
    ),
    Link(
      name: "flattenMap", signal: { $0.flattenMap { .values([$0, -$0]) } },
      model: { $0.each { $0.flatMap { [$0, -$0] } } }
    ),
    Link(
      name: "bufferCount", signal: { $0.bufferCount(2).map { $0.reduce(0, &+) } },
      model: { model in
        model.each { values in
          stride(from: 0, to: values.count, by: 2).map { values[$0..<min($0 + 2, values.count)] }
            .map { $0.reduce(0, &+) }
        }
      }
    ),
    Link(name: "on", signal: { $0.on(value: { _ in }) }, model: { $0 }),
    Link(name: "timestamped", signal: { $0.timestamped().map(\.value) }, model: { $0 }),
  ]

  static let ending: [Link] = [
    Link(
      name: "take", signal: { $0.take(3) },
      model: { $0.stopping(at: $0.values.count >= 3 ? 3 : nil) }
    ),
    Link(
      name: "takeWhile", signal: { $0.takeWhile { $0 < 9 } },
      model: { $0.stopping(at: $0.values.firstIndex { $0 >= 9 }) }
    ),
    Link(
      name: "takeThrough", signal: { $0.takeThrough { $0 < 0 } },
      model: { $0.stopping(at: $0.values.firstIndex { $0 < 0 }.map { $0 + 1 }) }
    ),
    Link(name: "takeLast", signal: { $0.takeLast(2) }, model: { $0.onCompletion { $0.suffix(2) } }),
    Link(
      name: "reduce", signal: { $0.reduce(0) { $0 &+ $1 } },
      model: { $0.onCompletion { [$0.reduce(0, &+)] } }
    ),
    Link(
      name: "collect", signal: { $0.collect().map(\.count) },
      model: { $0.onCompletion { [$0.count] } }
    ),
    Link(
      name: "catchError", signal: { $0.catchError { _ in .just(5) } },
      model: { Model(values: $0.values + ($0.fails ? [5] : []), fails: false) }
    ),
    Link(
      name: "retry", signal: { $0.retry(RetryPolicy(attempts: 2)) },
      model: { Model(values: $0.values + ($0.fails ? $0.values : []), fails: $0.fails) }
    ),
    Link(
      name: "concat", signal: { $0.concat(.values([3, 4])) },
      model: { Model(values: $0.values + ($0.fails ? [] : [3, 4]), fails: $0.fails) }
    ),
    Link(name: "mapError", signal: { $0.mapError { $0 } }, model: { $0 }),
    Link(name: "finally", signal: { $0.finally {} }, model: { $0 }),
  ]

  static let inTime: [Link] = [
    Link(
      name: "throttle", signal: { $0.throttle(.seconds(1)) },
      model: { $0.each { $0.count > 1 ? [$0[0], $0[$0.count - 1]] : $0 } }
    ),
    Link(
      name: "debounce", signal: { $0.debounce(.seconds(1)) }, model: { $0.each { $0.suffix(1) } }
    ),
    Link(
      name: "bufferWithTime", signal: { $0.bufferWithTime(.seconds(1)).map { $0.reduce(0, &+) } },
      model: { $0.each { $0.isEmpty ? [] : [$0.reduce(0, &+)] } }
    ),
    Link(name: "sample", signal: { $0.sample(every: .seconds(1)) }, model: { $0.each { _ in [] } }),
    Link(name: "timeout", signal: { $0.timeout(.seconds(9)) }, model: { $0 }),
    Link(name: "idleTimeout", signal: { $0.idleTimeout(.seconds(9)) }, model: { $0 }),
  ]

  static let joining: [Link] = [
    Link(name: "merge", signal: { .merge($0, .empty()) }, model: { $0 }),
    Link(
      name: "combineLatest", signal: { Signal.combineLatest([$0]).map { $0[0] } }, model: { $0 }
    ),
    Link(
      name: "withLatest", signal: { $0.withLatest(from: .just(1)).map { $0 &+ $1 } },
      model: { $0.each { $0.map { $0 &+ 1 } } }
    ),
    Link(
      name: "zip",
      signal: { Signal.zip($0, .values(sequence(first: 1) { $0 + 1 })).map { $0 &+ $1 } },
      model: { $0.each { $0.enumerated().map { $0 &+ 1 &+ $1 } } }
    ),
    Link(name: "share", signal: { $0.share() }, model: { $0 }),
    Link(name: "replay", signal: { $0.replay(count: 2) }, model: { $0 }),
    Link(name: "merging flattenMap", signal: { $0.flattenMap(.merge(limit: 1)) { .just($0) } }) {
      $0
    },
  ]
}

@Suite("Random chains of operators")
struct RandomChainTests {
  @Test(
    "random chains send the values that the same operations on lists return", arguments: 1...400)
  func laws(seed: Int) throws {
    let loop = VirtualTimeLoop()
    var generator = SeededGenerator(seed: UInt64(seed))
    let values = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
      Int.random(in: 1...12, using: &generator)
    }
    var model = Model(values: values, fails: Bool.random(using: &generator))
    var signal = Signal.values(values).concat(model.fails ? .failure(Broken()) : .empty())
    var names: [String] = []
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let link = Link.all[Int.random(in: 0..<Link.all.count, using: &generator)]
      signal = link.signal(signal)
      model = link.model(model)
      names.append(link.name)
    }
    let expected = model.values.map { "\($0)" } + [model.fails ? "failed: Broken()" : "completed"]
    let seen = try history(of: signal, on: loop)
    #expect(seen.map(\.what) == expected, "seed \(seed): \(values) \(names)")
  }
}
