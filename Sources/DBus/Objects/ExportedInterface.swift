// What an exported object has: interfaces with methods, properties and signals.
//
// Descriptions with closures in them; who serves them is ObjectServer.

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
  /// Does the call and answers it through the invocation, now or later. Its arguments have the
  /// types that were declared.
  public typealias Body = @Sendable (Invocation) -> Void

  public let name: String
  public let arguments: [ExportedArgument]
  public let results: [ExportedArgument]
  let body: Body
  /// The types of the arguments, joined.
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
  /// The present value; nil when the object has no such property now.
  public typealias Getter = @Sendable () -> DBusValue?
  /// Takes a new value, whose type is the declared one, and answers the call.
  public typealias Setter = @Sendable (_ value: DBusValue, _ invocation: Invocation) -> Void

  public let name: String
  public let signature: Signature
  let get: Getter
  /// nil for a property that is only read.
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
