// The members of an exported object: interfaces with methods, properties and signals.
//
// Descriptions with closures in them; ObjectServer serves them.

/// An argument of a method or a signal: its name and type.
public struct ExportedArgument: Hashable, Sendable {
  public let name: String
  public let signature: Signature

  public init(_ name: String, _ signature: Signature) {
    self.name = name
    self.signature = signature
  }
}

/// A method of an exported object.
public struct ExportedMethod: Sendable {
  /// Performs the call and replies through the invocation, now or later. The arguments have the
  /// declared types.
  public typealias Body = @Sendable (Invocation) -> Void

  public let name: String
  public let arguments: [ExportedArgument]
  public let results: [ExportedArgument]
  let body: Body
  /// The types of the arguments, concatenated.
  let signature: Signature

  public init(
    _ name: String,
    takes arguments: [ExportedArgument] = [],
    returns results: [ExportedArgument] = [],
    _ body: @escaping Body
  ) {
    self.name = name
    self.arguments = arguments
    self.results = results
    self.body = body
    signature = Signature(valid: arguments.map(\.signature.text).joined())
  }
}

/// A property of an exported object.
public struct ExportedProperty: Sendable {
  /// The current value; nil when the object does not have the property now.
  public typealias Getter = @Sendable () -> DBusValue?
  /// Receives a new value of the declared type, and replies to the call.
  public typealias Setter = @Sendable (_ value: DBusValue, _ invocation: Invocation) -> Void

  public let name: String
  public let signature: Signature
  let get: Getter
  /// nil for a read-only property.
  let set: Setter?

  public init(
    _ name: String,
    _ signature: Signature,
    set: Setter? = nil,
    get: @escaping Getter
  ) {
    self.name = name
    self.signature = signature
    self.get = get
    self.set = set
  }
}

/// A signal of an exported object.
public struct ExportedSignal: Hashable, Sendable {
  public let name: String
  public let arguments: [ExportedArgument]

  public init(_ name: String, _ arguments: [ExportedArgument]) {
    self.name = name
    self.arguments = arguments
  }
}

/// An interface of an exported object.
public struct ExportedInterface: Sendable {
  public let name: String
  public let methods: [ExportedMethod]
  public let properties: [ExportedProperty]
  public let signals: [ExportedSignal]

  public init(
    _ name: String,
    methods: [ExportedMethod] = [],
    properties: [ExportedProperty] = [],
    signals: [ExportedSignal] = []
  ) {
    self.name = name
    self.methods = methods
    self.properties = properties
    self.signals = signals
  }

  /// The properties that exist now, with their values.
  var presentProperties: PropertyMap {
    PropertyMap(properties.compactMap { property in property.get().map { (property.name, $0) } })
  }
}
