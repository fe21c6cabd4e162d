// State confined to a loop, which needs no lock.
//
// State that threads share is in a `Guarded`.

/// A value that only code running on one loop may use.
///
/// A loop runs one callback, timer or task job at a time, so its state needs no lock. Other threads
/// pass their input to the loop, for example with ``Loop/post(_:)``.
///
/// ```swift
/// struct Counts {
///   var links = 0
///   var reads: [Int] = []
/// }
/// let counts = Confined(Counts(), to: loop)
/// loop.post {
///   counts.links += 1
///   counts.reads.append(counts.links)
/// }
/// ```
///
/// A debug build stops on an access while another thread drives the loop. An access nested inside
/// another one stops the program; so an assignment frees the replaced value after the access.
/// For state that threads share, use ``Guarded``.
@dynamicMemberLookup
public final class Confined<State>: @unchecked Sendable {
  // `state` is used only on `loop`, or while no other thread drives it.
  @usableFromInline var state: State
  @usableFromInline let loop: Loop

  /// Confines `state` to a loop.
  ///
  /// A closure must be a stored property of a struct, as in ``Guarded``.
  @inlinable
  public init(_ state: sending State, to loop: Loop) {
    assert(!isRewrappedClosure("\(State.self)"), "put the closure into a struct: see Guarded")
    self.state = state
    self.loop = loop
  }

  /// The whole state: for its methods, and for a state without properties.
  @inlinable public var contents: State {
    get {
      check()
      return state
    }
    _modify {
      check()
      yield &state
    }
    set { self[dynamicMember: \.self] = newValue }
  }

  /// A property of the state: `counts.links`.
  @inlinable
  public subscript<Part>(dynamicMember part: WritableKeyPath<State, Part>) -> Part {
    get {
      check()
      return state[keyPath: part]
    }
    _modify {
      check()
      yield &state[keyPath: part]
    }
    set {
      check()
      var before = newValue
      swap(&state[keyPath: part], &before)
    }
  }

  /// A read-only property of the state.
  @inlinable
  public subscript<Part>(dynamicMember part: KeyPath<State, Part>) -> Part {
    check()
    return state[keyPath: part]
  }

  @inlinable
  func check() {
    assert(
      loop.isExclusive, "state of a loop is touched on another thread: hand it over with Loop.post"
    )
  }
}
