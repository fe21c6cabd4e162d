// The values of several signals in pairs: the first with the first, the second with the second.

/// Decides when a value of each signal is waiting, and when no further tuple can be sent.
struct ZipOrder: Equatable {
  private var waiting: [Bool]

  init(count: Int) { waiting = Array(repeating: false, count: count) }

  /// Records a value. Returns whether one of each signal is waiting, so that they are sent
  /// together.
  mutating func arrived(_ index: Int) -> Bool {
    waiting[index] = true
    guard waiting.allSatisfy({ $0 }) else { return false }
    waiting = Array(repeating: false, count: waiting.count)
    return true
  }

  /// Whether no further tuple can be sent, now that a signal has completed.
  func completed(_ index: Int) -> Bool { !waiting[index] }
}

extension Signal {
  /// Runs the signals concurrently and sends their first values together, then their second ones.
  ///
  /// ```
  /// a           1-----2-3---|
  /// b           --x-y-----z-|
  /// zip(a, b)   --(1,x)-(2,y)-(3,z)|
  /// ```
  ///
  /// A signal waits until all others have sent a value, so nothing is buffered; a source that
  /// cannot wait, such as a ``Subject``, has its own buffer limit. The result completes, and
  /// cancels the other signals, as soon as a signal without a waiting value completes. The first
  /// failure cancels the others, waits for their clean-up, and fails the result.
  ///
  /// ```swift
  /// Signal.zip(thermometer.read(.batteryLevel), lamp.read(.batteryLevel))
  ///   .map { thermometer, lamp in min(thermometer, lamp) }
  /// ```
  ///
  /// ReactiveCocoa, ReactiveSwift and RxSwift let the signals run ahead and buffer without a limit.
  public static func zip<each Input: Sendable>(
    _ inputs: repeat Signal<each Input>
  ) -> Signal where Value == (repeat each Input) {
    let inputs = (repeat each inputs)
    return Signal(home: firstHome(repeat each inputs)) { sink in
      let branches = try Branches<Storing>()
      let slots = (repeat JoinedSlot(each inputs, in: branches))
      var count = 0
      for _ in repeat each inputs { count += 1 }
      guard count > 0 else { return }
      var order = ZipOrder(count: count)
      var held: [Completion<Void>] = []
      try await branches.pump { step, handled in
        switch step {
        case .sent(let index, let store):
          store()
          held.append(handled)
          guard order.arrived(index) else { return true }
          try await sink((repeat (each slots).value))
          for handled in held { handled.succeed(()) }
          held = []
          return true
        case .ended(let index, let result):
          try result.get()
          return !order.completed(index)
        }
      }
    }
  }
}
