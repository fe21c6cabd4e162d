// The arguments and results of a method, described once: for callers, for servers and for
// Introspect.

/// The arguments of a method or a signal: their names, D-Bus types and Swift types.
public struct Arguments<Value: Sendable>: Sendable {
  /// Names and types, in order.
  public let described: [ExportedArgument]
  /// Decodes them; nil when the types do not match.
  public let decode: @Sendable ([DBusValue]) -> Value?
  /// Encodes them.
  public let encode: @Sendable (Value) -> [DBusValue]
}

extension Arguments<Void> {
  /// No argument.
  public static var none: Arguments {
    Arguments(described: [], decode: { $0.isEmpty ? () : nil }, encode: { [] })
  }
}

extension Arguments {
  /// One argument.
  ///
  /// ```swift
  /// let select = Method<String, Void>(
  ///   "Select", of: "com.example.Sensor", takes: .one("unit", .string))
  /// ```
  public static func one(_ name: String, _ codec: Codec<Value>) -> Arguments {
    Arguments(
      described: [ExportedArgument(name, codec.signature)],
      decode: { $0.count == 1 ? codec.decode($0[0]) : nil },
      encode: { [codec.encode($0)] }
    )
  }

  /// Two arguments.
  ///
  /// ```swift
  /// let set = Method<(String, UInt32), Void>(
  ///   "Set", of: "com.example.Sensor", takes: .two(("key", .string), ("value", .uint32)))
  /// ```
  public static func two<A, B>(
    _ first: (name: String, codec: Codec<A>),
    _ second: (name: String, codec: Codec<B>)
  ) -> Arguments where Value == (A, B) {
    Arguments(
      described: [
        ExportedArgument(first.name, first.codec.signature),
        ExportedArgument(second.name, second.codec.signature),
      ],
      decode: { body in
        guard body.count == 2, let a = first.codec.decode(body[0]),
          let b = second.codec.decode(body[1])
        else { return nil }
        return (a, b)
      },
      encode: { [first.codec.encode($0.0), second.codec.encode($0.1)] }
    )
  }

  /// Three arguments.
  public static func three<A, B, C>(
    _ first: (name: String, codec: Codec<A>),
    _ second: (name: String, codec: Codec<B>),
    _ third: (name: String, codec: Codec<C>)
  ) -> Arguments where Value == (A, B, C) {
    Arguments(
      described: [
        ExportedArgument(first.name, first.codec.signature),
        ExportedArgument(second.name, second.codec.signature),
        ExportedArgument(third.name, third.codec.signature),
      ],
      decode: { body in
        guard body.count == 3, let a = first.codec.decode(body[0]),
          let b = second.codec.decode(body[1]), let c = third.codec.decode(body[2])
        else { return nil }
        return (a, b, c)
      },
      encode: {
        [first.codec.encode($0.0), second.codec.encode($0.1), third.codec.encode($0.2)]
      }
    )
  }
}

/// A method without its types: for lists of the methods of an interface.
public protocol AnyMethod: Sendable {
  /// The interface that it belongs to.
  var interface: String { get }
  /// Its name.
  var name: String { get }
}

/// A method of an interface: its name, its arguments and its results.
public struct Method<Input: Sendable, Output: Sendable>: AnyMethod {
  public let interface: String
  public let name: String
  /// The arguments.
  public let input: Arguments<Input>
  /// The results.
  public let output: Arguments<Output>

  /// A method with arguments and a result.
  ///
  /// ```swift
  /// let label = Method<UInt32, String>(
  ///   "Label", of: "com.example.Sensor",
  ///   takes: .one("index", .uint32), returns: .one("text", .string))
  /// ```
  public init(
    _ name: String,
    of interface: String,
    takes input: Arguments<Input>,
    returns output: Arguments<Output>
  ) {
    self.name = name
    self.interface = interface
    self.input = input
    self.output = output
  }
}

extension Method where Output == Void {
  /// A method with arguments and without a result.
  public init(_ name: String, of interface: String, takes input: Arguments<Input>) {
    self.init(name, of: interface, takes: input, returns: .none)
  }
}

extension Method where Input == Void {
  /// A method without arguments.
  public init(_ name: String, of interface: String, returns output: Arguments<Output>) {
    self.init(name, of: interface, takes: .none, returns: output)
  }
}

extension Method where Input == Void, Output == Void {
  /// A method without arguments and without a result.
  public init(_ name: String, of interface: String) {
    self.init(name, of: interface, takes: .none, returns: .none)
  }
}

// MARK: Serving

extension ExportedMethod {
  /// Serves a method.
  ///
  /// ```swift
  /// let label = Method<UInt32, String>(
  ///   "Label", of: "com.example.Sensor",
  ///   takes: .one("index", .uint32), returns: .one("text", .string))
  /// let served = ExportedMethod(label) { index, call in call.reply(to: label, "sensor \(index)") }
  /// ```
  ///
  /// - Parameters:
  ///   - method: What is called.
  ///   - body: Receives the arguments, and replies through the invocation.
  public init<Input, Output>(
    _ method: Method<Input, Output>,
    _ body: @escaping @Sendable (_ input: Input, _ call: Invocation) -> Void
  ) {
    self.init(method.name, takes: method.input.described, returns: method.output.described) {
      call in
      guard let input = method.input.decode(call.message.body) else {
        let text = "\(method.name) was called with arguments of the wrong types"
        return call.fail(DBusError(name: .invalidArgs, message: text))
      }
      body(input, call)
    }
  }

  /// Serves a method without arguments.
  public init<Output>(
    _ method: Method<Void, Output>,
    _ body: @escaping @Sendable (_ call: Invocation) -> Void
  ) {
    self.init(
      method.name,
      takes: method.input.described,
      returns: method.output.described,
      body
    )
  }
}

extension Invocation {
  /// Replies to the call of a method with its results.
  ///
  /// The compiler checks the types of the results.
  ///
  /// ```swift
  /// let name = Method<Void, String>(
  ///   "Name", of: "com.example.Sensor", returns: .one("name", .string))
  /// let served = ExportedMethod(name) { call in call.reply(to: name, "hall") }
  /// ```
  public func reply<Input, Output>(to method: Method<Input, Output>, _ output: Output) {
    reply(method.output.encode(output))
  }
}

// MARK: Calling

extension MethodCall {
  /// A call of a method.
  ///
  /// ```swift
  /// let label = Method<UInt32, String>(
  ///   "Label", of: "com.example.Sensor",
  ///   takes: .one("index", .uint32), returns: .one("text", .string))
  /// let call = try MethodCall(label, 1, on: "/com/example/sensor", of: "com.example.Sensor")
  /// let text = try await bus.call(call).body.first?.asString
  /// ```
  ///
  /// - Throws: ``DBusNameError`` when a name is not valid.
  public convenience init<Input, Output>(
    _ method: Method<Input, Output>,
    _ input: Input,
    on path: ObjectPath,
    of destination: String
  ) throws(DBusNameError) {
    try self.init(
      destination: destination,
      path: path,
      interface: method.interface,
      member: method.name,
      body: method.input.encode(input)
    )
  }
}
