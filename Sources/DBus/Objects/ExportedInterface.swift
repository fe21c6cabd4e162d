// The members of an exported object: interfaces with methods, properties and signals.
//
// Descriptions with closures in them; ObjectServer serves them.

/// An argument of a method or a signal: its name and type.
public struct ExportedArgument: Hashable, Sendable {
  /// The name, for introspection.
  public let name: String
  /// The D-Bus type.
  public let signature: Signature

  /// An argument with its name and type.
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

  /// The name of the method.
  public let name: String
  /// What callers pass.
  public let arguments: [ExportedArgument]
  /// What the reply has.
  public let results: [ExportedArgument]
  let body: Body
  /// The types of the arguments, concatenated.
  let signature: Signature

  /// A method and the code that serves it.
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

  /// The name of the property.
  public let name: String
  /// The D-Bus type of its value.
  public let signature: Signature
  let get: Getter
  /// nil for a read-only property.
  let set: Setter?

  /// A property; without `set` it is read-only.
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
  /// The name of the signal.
  public let name: String
  /// What it carries.
  public let arguments: [ExportedArgument]

  /// A signal with its arguments.
  public init(_ name: String, _ arguments: [ExportedArgument]) {
    self.name = name
    self.arguments = arguments
  }
}

/// An interface of an exported object.
public struct ExportedInterface: Sendable {
  /// The name of the interface.
  public let name: String
  /// The methods that callers may call.
  public let methods: [ExportedMethod]
  /// The properties that callers may read, and some set.
  public let properties: [ExportedProperty]
  /// The signals that the object emits, for introspection.
  public let signals: [ExportedSignal]

  /// An interface of an object.
  ///
  /// ```swift
  /// let sensor = ExportedInterface(
  ///   "com.example.Sensor",
  ///   methods: [.init("Reset") { call in call.reply() }],
  ///   properties: [.init("Celsius", "d") { .double(21.5) }],
  ///   signals: [.init("Ready", [])])
  /// ```
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
