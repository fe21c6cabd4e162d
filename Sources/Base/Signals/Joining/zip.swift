// The values of several signals in pairs: the first with the first, the second with the second.

/// Decides when there is a value of each signal, and when there will be none any more.
struct ZipOrder: Equatable {
  private var waiting: [Bool]

  init(count: Int) { waiting = Array(repeating: false, count: count) }

  /// A value came. Returns whether there is one of each now, which are then sent.
  mutating func arrived(_ index: Int) -> Bool {
    waiting[index] = true
    guard waiting.allSatisfy({ $0 }) else { return false }
    waiting = Array(repeating: false, count: waiting.count)
    return true
  }

  /// A signal completed. Returns whether nothing can be sent any more.
  func completed(_ index: Int) -> Bool { !waiting[index] }
}

extension Signal {
  /// Runs the signals side by side and sends their first values together, then their second ones.
  ///
  /// ```
  /// a           1-----2-3---|
  /// b           --x-y-----z-|
  /// zip(a, b)   --(1,x)-(2,y)-(3,z)|
  /// ```
  ///
  /// A signal whose value waits for the others' waits too, so nothing is buffered; a source that
  /// cannot wait, such as a ``Subject``, has a bound of its own. It completes as soon as one that
  /// has no value waiting completes, and cancels the others; the first failure cancels the others,
  /// waits for their clean-up, and ends all.
  ///
  /// ```swift
  /// Signal.zip(thermometer.read(.batteryLevel), lamp.read(.batteryLevel))
  ///   .map { thermometer, lamp in min(thermometer, lamp) }
  /// ```
  ///
  /// ReactiveCocoa, ReactiveSwift and RxSwift let the signals run ahead, and buffer without a bound.
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
      try await branches.pump { step, taken in
        switch step {
        case .sent(let index, let store):
          store()
          held.append(taken)
          guard order.arrived(index) else { return true }
          try await sink((repeat (each slots).value))
          for taken in held { taken.succeed(()) }
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
