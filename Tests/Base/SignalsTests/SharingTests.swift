// Subjects and shared signals, by the histories of several observers in virtual time.

import Fixtures
import Testing

@testable import Signals

@Suite("Shared signals")
struct SharingTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()

  /// Notes the history of an observer that comes at `start` and leaves at `end`.
  @discardableResult
  func observer(
    _ name: String, of signal: Signal<some Sendable>, from start: Int, to end: Int? = nil
  ) -> Guarded<Observation?> {
    let slot = Guarded<Observation?>(nil)
    loop.after(.milliseconds(start)) { [loop, notes] in
      let observation = signal.observe(on: loop) { event in
        let what =
          switch event {
          case .value(let value): "\(value)"
          case .completed: "completed"
          case .failed(let error): "\(error)"
          case .cancelled: "left"
          }
        notes.add("\(loop.now.sinceStart / .milliseconds(1)) \(name) \(what)")
      }
      slot.withLock { $0 = observation }
    }
    if let end {
      loop.after(.milliseconds(end)) { slot.withLock { $0 }?.cancel() }
    }
    return slot
  }

  /// Ticks that note when they begin and when their clean-up ends.
  func source(_ count: Int, cleaningUpFor cleanUp: Duration = .zero) -> Signal<Int> {
    Signal.deferred { [loop, notes] in
      notes.add("\(loop.now.sinceStart / .milliseconds(1)) source begins")
      return ticks(count, every: .seconds(1)).finally {
        try await loop.sleep(for: cleanUp)
        notes.add("\(loop.now.sinceStart / .milliseconds(1)) source ends")
      }
    }
  }

  @Test("share runs the source once for all observers, from the first observer to the last")
  func share() {
    let shared = source(9, cleaningUpFor: .milliseconds(100)).share()
    observer("A", of: shared, from: 0, to: 2500)
    observer("B", of: shared, from: 1500, to: 3500)
    drain(loop)
    #expect(
      notes.all == [
        "0.0 source begins", "1000.0 A 1", "2000.0 A 2", "2000.0 B 2", "2500.0 A left",
        "3000.0 B 3", "3600.0 source ends", "3600.0 B left",
      ]
    )
  }

  @Test("share starts when it is first observed, and restarts after each end")
  func shareAnew() {
    let shared = source(1).share()
    drain(loop)
    #expect(notes.all.isEmpty)
    observer("A", of: shared, from: 0)
    observer("B", of: shared, from: 3000)
    drain(loop)
    #expect(
      notes.all == [
        "0.0 source begins", "1000.0 A 1", "1000.0 source ends", "1000.0 A completed",
        "3000.0 source begins", "4000.0 B 1", "4000.0 source ends", "4000.0 B completed",
      ]
    )
  }

  @Test("an observer that subscribes during clean-up waits for its end, then starts a new run")
  func duringCleanUp() {
    let shared = source(9, cleaningUpFor: .seconds(5)).share()
    observer("A", of: shared, from: 0, to: 1500)
    observer("B", of: shared, from: 2000, to: 9000)
    observer("C", of: shared, from: 2000, to: 3000)
    drain(loop)
    #expect(
      notes.all == [
        "0.0 source begins", "1000.0 A 1", "3000.0 C left", "6500.0 source ends", "6500.0 A left",
        "6500.0 source begins", "7500.0 B 1", "8500.0 B 2", "14000.0 source ends", "14000.0 B left",
      ]
    )
  }

  @Test("a failure ends all observers of a shared run, and the next observer restarts it")
  func sharedFailure() {
    let shared = source(1).concat(.failure(Broken())).replay(count: 5)
    observer("A", of: shared, from: 0)
    observer("B", of: shared, from: 500)
    observer("C", of: shared, from: 3000)
    drain(loop)
    #expect(
      notes.all == [
        "0.0 source begins", "1000.0 A 1", "1000.0 B 1", "1000.0 source ends",
        "1000.0 A Broken()", "1000.0 B Broken()",
        "3000.0 source begins", "4000.0 C 1", "4000.0 source ends", "4000.0 C Broken()",
      ]
    )
  }

  @Test("retry downstream of a replayed signal runs the work again")
  func retried() throws {
    let runs = Guarded(0)
    let replayed = Signal<Int> { sink in
      let run = runs.withLock { count in
        count += 1
        return count
      }
      if run < 3 { throw Broken() }
      try await sink(run)
    }.replayLast()
    let moments = try history(of: replayed.retry(RetryPolicy(attempts: 5)), on: loop)
    #expect(moments == [Moment(0, "3"), Moment(0, "completed")])
  }

  @Test("replay sends the last values to late observers, even after the completion")
  func replay() {
    let replayed = source(3).replay(count: 2)
    observer("A", of: replayed, from: 0)
    observer("B", of: replayed, from: 2500)
    observer("C", of: replayed, from: 9000)
    drain(loop)
    #expect(
      notes.all == [
        "0.0 source begins", "1000.0 A 1", "2000.0 A 2", "2500.0 B 1", "2500.0 B 2",
        "3000.0 A 3", "3000.0 B 3", "3000.0 source ends", "3000.0 A completed",
        "3000.0 B completed", "9000.0 C 2", "9000.0 C 3", "9000.0 C completed",
      ]
    )
  }

  @Test("a replayed run is discarded when its last observer ends")
  func replayLeft() {
    let replayed = source(9).replayLast()
    observer("A", of: replayed, from: 0, to: 1500)
    observer("B", of: replayed, from: 5000, to: 6500)
    drain(loop)
    #expect(
      notes.all == [
        "0.0 source begins", "1000.0 A 1", "1500.0 source ends", "1500.0 A left",
        "5000.0 source begins", "6000.0 B 1", "6500.0 source ends", "6500.0 B left",
      ]
    )
  }

  @Test("a slow observer of a shared signal fails with a named error, and the others continue")
  func slowObserver() {
    let shared = ticks(5, every: .seconds(1)).share(bufferLimit: 2)
    observer("slow", of: shared.flattenMap { .just($0).delay(.seconds(60)) }, from: 0)
    observer("A", of: shared.collect(), from: 0)
    drain(loop)
    #expect(notes.all.contains("5000.0 A [1, 2, 3, 4, 5]"))
    #expect(
      notes.all.last
        == "181000.0 slow \(BufferOverflow(bound: 2))"
    )
  }

  @Test("the deadline of the observer that starts a shared run does not apply to the others")
  func deadline() {
    let shared = source(4).share()
    observer("A", of: shared.timeout(.milliseconds(1500)), from: 0)
    observer("B", of: shared, from: 500)
    drain(loop)
    #expect(notes.all.contains { $0.hasPrefix("1500.0 A waiting for a value did not end") })
    #expect(notes.all.suffix(2) == ["4000.0 source ends", "4000.0 B completed"])
  }

  @Test("a replaying subject sends late observers its last values, then the new ones")
  func replaySubject() {
    let subject = Subject<Int>(replaying: 2)
    for number in 1...3 { subject.send(number) }
    observer("A", of: subject.signal, from: 1000)
    loop.after(.seconds(2)) { subject.send(4) }
    loop.after(.seconds(3)) { subject.complete() }
    loop.after(.seconds(4)) { subject.send(5) }
    observer("B", of: subject.signal, from: 5000)
    drain(loop)
    #expect(
      notes.all == [
        "1000.0 A 2", "1000.0 A 3", "2000.0 A 4", "3000.0 A completed", "5000.0 B 3",
        "5000.0 B 4", "5000.0 B completed",
      ]
    )
    #expect(subject.observerCount == 0)
  }

  @Test("recent values are the last values, oldest first", arguments: [0, 1, 3, 10])
  func recent(limit: Int) {
    var recent = RecentValues<Int>(limit: limit)
    for number in 1...7 {
      recent.append(number)
      #expect(recent.values == Array((1...number).suffix(limit)))
    }
  }
}
