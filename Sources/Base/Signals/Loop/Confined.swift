// State that belongs to a loop, and so needs no lock.
//
// State that threads share is in a `Guarded`.

/// A value that is touched only by what runs on a loop.
///
/// One thing after the other runs on a loop, so its state needs no lock, and is read and changed in
/// place: in callbacks of the loop and its timers, and in tasks that it runs. What comes from another
/// thread is handed over, as by ``Loop/post(_:)``.
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
/// A debug build stops when it is touched while another thread turns the loop. An access inside of
/// another one stops the program; the value that an assignment replaces is freed after the access.
/// For state that threads share there is ``Guarded``.
@dynamicMemberLookup
public final class Confined<State>: @unchecked Sendable {
  // `state` is touched on `loop` alone, or while no other thread turns it.
  @usableFromInline var state: State
  @usableFromInline let loop: Loop

  /// Confines `state` to a loop from now on.
  ///
  /// A closure has to be a stored property of a struct, as in ``Guarded``.
  @inlinable
  public init(_ state: sending State, to loop: Loop) {
    assert(!isWrappedAnew("\(State.self)"), "put the closure into a struct: see Guarded")
    self.state = state
    self.loop = loop
  }

  /// All of it: for methods of the state, and for a state without parts.
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

  /// A part of it, by its name: `state.links`.
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

  /// The same for a part that is derived from others.
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
