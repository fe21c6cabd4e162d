// The members of an exported object: interfaces with methods, properties and signals.
//
// Descriptions with closures; ObjectServer serves them.

/// An argument of a method or a signal: its name and type.
package struct ExportedArgument: Hashable, Sendable {
  /// The name, for introspection.
  package let name: String
  /// The D-Bus type.
  package let signature: Signature

  /// An argument with its name and type.
  package init(_ name: String, _ signature: Signature) {
    self.name = name
    self.signature = signature
  }
}

/// A method of an exported object.
package struct ExportedMethod: Sendable {
  /// Performs the call and replies through the invocation, now or later. The arguments have the
  /// declared types.
  package typealias Body = @Sendable (Invocation) -> Void

  /// The name of the method.
  package let name: String
  /// The arguments of a call.
  package let arguments: [ExportedArgument]
  /// The arguments of the reply.
  package let results: [ExportedArgument]
  let body: Body
  /// The types of the arguments, concatenated.
  let signature: Signature

  /// A method and the code that serves it.
  package init(
    _ name: String, takes arguments: [ExportedArgument] = [],
    returns results: [ExportedArgument] = [], _ body: @escaping Body
  ) {
    self.name = name
    self.arguments = arguments
    self.results = results
    self.body = body
    signature = Signature(valid: arguments.map(\.signature.text).joined())
  }
}

/// A property of an exported object.
package struct ExportedProperty: Sendable {
  /// Returns the current value; nil while the object does not have the property.
  package typealias Getter = @Sendable () -> DBusValue?
  /// Receives a new value of the declared type, and replies to the call.
  package typealias Setter = @Sendable (_ value: DBusValue, _ invocation: Invocation) -> Void

  /// The name of the property.
  package let name: String
  /// The D-Bus type of its value.
  package let signature: Signature
  let get: Getter
  /// The setter; nil for a read-only property.
  let set: Setter?

  /// A property; without `set` it is read-only.
  package init(_ name: String, _ signature: Signature, set: Setter? = nil, get: @escaping Getter) {
    self.name = name
    self.signature = signature
    self.get = get
    self.set = set
  }
}

/// A signal of an exported object.
package struct ExportedSignal: Hashable, Sendable {
  /// The name of the signal.
  package let name: String
  /// The arguments of the signal.
  package let arguments: [ExportedArgument]

  /// A signal with its arguments.
  package init(_ name: String, _ arguments: [ExportedArgument]) {
    self.name = name
    self.arguments = arguments
  }
}

/// An interface of an exported object.
package struct ExportedInterface: Sendable {
  /// The name of the interface.
  package let name: String
  /// The methods.
  package let methods: [ExportedMethod]
  /// The properties.
  package let properties: [ExportedProperty]
  /// The signals that the object emits, for introspection.
  package let signals: [ExportedSignal]

  /// An interface of an object.
  package init(
    _ name: String, methods: [ExportedMethod] = [], properties: [ExportedProperty] = [],
    signals: [ExportedSignal] = []
  ) {
    self.name = name
    self.methods = methods
    self.properties = properties
    self.signals = signals
  }

  /// The properties that the object has now, with their values.
  var presentProperties: PropertyMap {
    PropertyMap(properties.compactMap { property in property.get().map { (property.name, $0) } })
  }
}
