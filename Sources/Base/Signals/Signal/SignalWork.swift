// The work of a signal: a closure, or a link of a chain.

/// The work of a signal.
@usableFromInline
enum SignalWork<Value: Sendable>: Sendable {
  /// A closure. The compiler can inline it into the closures of the operators around it, so that a
  /// value passes several of them at the cost of one.
  case described(Signal<Value>.Body)

  /// An object. A call of its method needs half as many async frames as a call of a stored closure,
  /// which saves a tenth of the cost of a step of a chain.
  case linked(ChainLink<Value>)

  /// This work as an object.
  @inlinable
  consuming func link() -> ChainLink<Value> {
    switch consume self {
    case .described(let body): DescribedLink(body)
    case .linked(let link): link
    }
  }
}

extension Signal {
  /// The work as a closure.
  @inlinable var body: Body {
    switch work {
    case .described(let body): body
    case .linked(let link): { sink in try await link.run(sink) }
    }
  }
}

/// A link of a chain: ``Signal/just(_:)``, ``Signal/flattenMap(_:)``, or a source.
@usableFromInline
class ChainLink<Value: Sendable>: @unchecked Sendable {
  /// The number of consecutive `flattenMap` links up to this one.
  @usableFromInline let length: Int

  @inlinable init(length: Int = 0) { self.length = length }

  @usableFromInline
  func run(_ sink: (Value) async throws -> Void) async throws {
    preconditionFailure("each link has its own `run`")
  }
}

/// A source given by a closure.
@usableFromInline
final class DescribedLink<Value: Sendable>: ChainLink<Value>, @unchecked Sendable {
  private let body: Signal<Value>.Body

  @usableFromInline
  init(_ body: @escaping Signal<Value>.Body) {
    self.body = body
    super.init()
  }

  @usableFromInline
  override func run(_ sink: (Value) async throws -> Void) async throws { try await body(sink) }
}
