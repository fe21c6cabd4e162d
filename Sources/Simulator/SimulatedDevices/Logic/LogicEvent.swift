// The events that a device asks its logic about, as lines of JSON.
//
// Pure. docs/device-logic.md describes the format.

import Bluetooth
public import Documents

/// One event at a simulated device, before the device decides about it itself.
public struct LogicEvent: Hashable, Sendable {
  /// The version of the format.
  static let version = 1

  /// The characteristic of an event.
  public struct Attribute: Hashable, Sendable {
    /// The name of its service in the device file, or its UUID.
    public let service: String
    /// The name of the characteristic in the device file, or its UUID; with `#1` for the second one
    /// of a UUID.
    public let characteristic: String
    /// The handle of its value.
    public let handle: UInt16

    /// Creates the characteristic of an event.
    public init(service: String, characteristic: String, handle: UInt16) {
      self.service = service
      self.characteristic = characteristic
      self.handle = handle
    }
  }

  /// The kind of an event.
  public enum Kind: Hashable, Sendable {
    /// The device has started, or was given this logic. The seed is for random decisions of the
    /// logic.
    case start(seed: Int)
    /// A client has connected.
    case connected
    /// The connection ended.
    case disconnected
    /// A client reads a characteristic from an offset.
    case read(Attribute, offset: Int)
    /// A client writes a value, with or without response.
    case write(Attribute, value: [UInt8], withResponse: Bool)
    /// A client has subscribed.
    case subscribed(Attribute)
    /// A client has unsubscribed.
    case unsubscribed(Attribute)
    /// A timer of the logic has expired.
    case timer(String)
  }

  /// The number of the event at its device, from 1. The answer has the same number.
  public let id: Int
  /// The name of the device, or its address.
  public let device: String
  /// The time since the start of the simulation.
  public let time: Duration
  public let kind: Kind
  /// The text with which the logic requested such events; nil: it requested all.
  public let asked: String?

  /// Creates an event, to test a logic.
  public init(id: Int, device: String, time: Duration, kind: Kind, asked: String? = nil) {
    self.id = id
    self.device = device
    self.time = time
    self.kind = kind
    self.asked = asked
  }

  /// The name in messages, such as `write pin`.
  public var title: String {
    let name = if case .timer(let name) = kind { name } else { kind.attribute?.characteristic }
    return kind.word + (name.map { " \($0)" } ?? "")
  }

  /// The event as one line of JSON, without the newline.
  public var line: String {
    var members: [JSONValue.Member] = [
      .init("v", JSONValue(Self.version)), .init("id", JSONValue(id)),
      .init("at", JSONValue((time / .microseconds(1)).rounded() / 1_000_000)),
      .init("device", .string(device)), .init("event", .string(kind.word)),
    ]
    if let attribute = kind.attribute {
      members.append(.init("service", .string(attribute.service)))
      members.append(.init("characteristic", .string(attribute.characteristic)))
    }
    switch kind {
    case .start(let seed): members.append(.init("seed", JSONValue(seed)))
    case .connected, .disconnected, .subscribed, .unsubscribed: break
    case .read(_, let offset): members.append(.init("offset", JSONValue(offset)))
    case .write(_, let value, let withResponse):
      members.append(.init("value", .string("\(DecodedValue.octets(value))")))
      members.append(.init("response", .boolean(withResponse)))
    case .timer(let name): members.append(.init("name", .string(name)))
    }
    if let asked { members.append(.init("handle", .string(asked))) }
    return JSONValue.object(members).compact
  }
}

extension LogicEvent.Kind {
  /// The value of the key `event`.
  var word: String {
    switch self {
    case .start: "start"
    case .connected: "connected"
    case .disconnected: "disconnected"
    case .read: "read"
    case .write: "write"
    case .subscribed: "subscribed"
    case .unsubscribed: "unsubscribed"
    case .timer: "timer"
    }
  }

  /// The characteristic of the event; nil: none.
  var attribute: LogicEvent.Attribute? {
    switch self {
    case .read(let attribute, _), .write(let attribute, _, _), .subscribed(let attribute),
      .unsubscribed(let attribute):
      attribute
    case .start, .connected, .disconnected, .timer: nil
    }
  }

  /// True if it is a request of a client, which may be answered with a value or an error.
  var isRequest: Bool {
    switch self {
    case .read, .write: true
    case .start, .connected, .disconnected, .subscribed, .unsubscribed, .timer: false
    }
  }
}

/// The events that a logic handles: the requested ones, and its timers.
public struct LogicEvents: Hashable, Sendable {
  /// The word of an event, with the handle of its characteristic if it has one.
  private struct Name: Hashable {
    let word: String
    let handle: UInt16?
  }

  private static let ofLinks = ["connected", "disconnected"]
  private static let ofCharacteristics = ["read", "write", "subscribed", "unsubscribed"]

  /// The requested events with the texts that requested them; nil: all.
  private let names: [Name: String]?

  /// All events.
  public static let all = LogicEvents(names: nil)

  private init(names: [Name: String]?) { self.names = names }

  /// Parses a list of events such as `connected` and `write pin`.
  ///
  /// - Throws: `Problem` for an unknown event, or a characteristic that the device lacks.
  public init(_ texts: [String], of table: AttributeTable) throws(Problem) {
    var names: [Name: String] = [:]
    for text in texts {
      let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
      if parts.count == 1, Self.ofLinks.contains(parts[0]) {
        names[Name(word: parts[0], handle: nil)] = text
      } else if parts.count == 2, Self.ofCharacteristics.contains(parts[0]) {
        let handle = try table.characteristic(named: parts[1]).handle
        names[Name(word: parts[0], handle: handle)] = text
      } else {
        throw Problem(
          "unknown event '\(text)': expected \(Self.ofLinks.joined(separator: ", ")), "
            + "or one of \(Self.ofCharacteristics.joined(separator: ", ")) and a characteristic"
        )
      }
    }
    self.init(names: names)
  }

  func contains(_ kind: LogicEvent.Kind) -> Bool {
    switch kind {
    case .start, .timer: true
    case .connected, .disconnected, .read, .write, .subscribed, .unsubscribed:
      names == nil || asked(kind) != nil
    }
  }

  func asked(_ kind: LogicEvent.Kind) -> String? {
    names?[Name(word: kind.word, handle: kind.attribute?.handle)]
  }
}
