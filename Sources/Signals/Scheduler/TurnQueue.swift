// Who has the turn and who waits for it: first come, first served.
//
// A pure state machine. The identity of a request is all it knows.

/// The order of turns on one scheduler.
struct TurnQueue: Equatable {
  private(set) var running: UInt64?
  private(set) var waiting: [UInt64] = []
  private(set) var isClosed = false

  /// What became of a request.
  enum Admission: Equatable { case begin, wait, refused }

  /// A request came.
  mutating func request(_ id: UInt64) -> Admission {
    guard !isClosed else { return .refused }
    guard running != nil else {
      running = id
      return .begin
    }
    waiting.append(id)
    return .wait
  }

  /// A waiting request was withdrawn; false when it was not waiting (any more).
  mutating func withdraw(_ id: UInt64) -> Bool {
    guard let index = waiting.firstIndex(of: id) else { return false }
    waiting.remove(at: index)
    return true
  }

  /// The running turn ended, clean-up included. Returns whose turn begins.
  mutating func ended(_ id: UInt64) -> UInt64? {
    precondition(running == id, "only the running turn can end")
    running = waiting.isEmpty ? nil : waiting.removeFirst()
    return running
  }

  /// No further request is admitted; those that wait keep their place.
  mutating func refuseFurther() {
    isClosed = true
  }
}
