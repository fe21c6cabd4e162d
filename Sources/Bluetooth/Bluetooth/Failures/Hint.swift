// Hints after a failure, in the words of the library or of the command.

/// A hint about what to try. It is written once, and read by two audiences: in a program that uses the
/// library it names calls, and in the command it names steps and options.
///
/// ```swift
/// let hint: Hint = "pair with the device first: \(.pair)"
/// print(hint.text)                       // pair with the device first: pair(_:)
/// ```
public struct Hint: Hashable, Sendable, CustomStringConvertible {
  /// An action with one name in the library and another in the command.
  public enum Remedy: Hashable, Sendable, CaseIterable {
    /// Chooses the adapter.
    case adapter
    /// Confirms a number on both sides.
    case confirm
    /// Reads the services of the device again.
    case fresh
    /// Lists the attributes of the device.
    case inspect
    /// Gives an operation more time.
    case moreTime
    /// Pairs with the device.
    case pair
    /// Pairs, and answers requests of the device meanwhile.
    case pairWithAgent
    /// Gives the passkey or PIN.
    case passkey
    /// Scans for devices.
    case scan
    /// Scans with scan requests.
    case scanActively
    /// Works without hardware.
    case simulate
    /// One operation.
    case step
    /// Subscribes to a characteristic.
    case subscribe
    /// Ends the attempt of another program to connect.
    case takeOver
    /// Removes a bond.
    case unpair
  }

  private enum Part: Hashable, Sendable {
    case text(String)
    case remedy(Remedy)
  }

  private var parts: [Part]

  /// A hint with the same words in the library and in the command.
  public init(_ text: String) { parts = text.isEmpty ? [] : [.text(text)] }

  /// Whether there is nothing to try.
  public var isEmpty: Bool { parts.isEmpty }

  /// The hint in the words of the library.
  public var text: String { text { $0.inLibrary } }

  /// The hint in the words of the library.
  public var description: String { text }

  /// The hint with the remedies in other words.
  public func text(_ wording: (Remedy) -> String) -> String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .text(let own): text += own
      case .remedy(let remedy): text += wording(remedy)
      }
    }
  }

  /// One hint after the other, without anything in between.
  public static func + (a: Hint, b: Hint) -> Hint {
    var both = a
    both.parts += b.parts
    return both
  }
}

extension Hint: ExpressibleByStringInterpolation {
  /// The texts and the remedies between them.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var hint = Hint("")

    /// An empty hint.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends text.
    public mutating func appendLiteral(_ literal: String) { hint = hint + Hint(literal) }

    /// Appends an action with two names.
    public mutating func appendInterpolation(_ remedy: Remedy) {
      hint.parts.append(.remedy(remedy))
    }

    /// Appends a value as text.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      hint = hint + Hint(value.description)
    }
  }

  /// A hint with the same words in the library and in the command.
  public init(stringLiteral text: String) { self.init(text) }

  /// A hint with remedies.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.hint }
}

extension Hint.Remedy {
  /// The name in Swift.
  public var inLibrary: String {
    switch self {
    case .adapter: "adapter:"
    case .confirm: "comparison: .always(true)"
    case .fresh: "set isFresh in ConnectOptions"
    case .inspect: "services()"
    case .moreTime: "allow more time with within: or timeout(_:_:)"
    case .pair: "pair(_:)"
    case .pairWithAgent: "pair with pair(_:), which registers an agent"
    case .passkey: "secret: in PairingAnswers"
    case .scan: "scan(_:)"
    case .scanActively: "scan without isPassive"
    case .simulate: "test with a SimulatedWorld"
    case .step: "operation"
    case .subscribe: "notifications(_:)"
    case .takeOver: "set takesOver in ConnectOptions"
    case .unpair: "unpair()"
    }
  }
}
