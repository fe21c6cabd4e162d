// Methods with typed arguments and results, described once for callers, servers and Introspect.

/// The arguments of a method or a signal: their names, D-Bus types and Swift types.
package struct Arguments<Value: Sendable>: Sendable {
  /// Names and types, in order.
  package let described: [ExportedArgument]
  /// Decodes them; nil if the types do not match.
  package let decode: @Sendable ([DBusValue]) -> Value?
  /// Encodes them.
  package let encode: @Sendable (Value) -> [DBusValue]
}

extension Arguments<Void> {
  /// No argument.
  package static var none: Arguments {
    Arguments(described: [], decode: { $0.isEmpty ? () : nil }, encode: { [] })
  }
}

extension Arguments {
  /// The arguments with these names and codecs, in order.
  ///
  /// ```
  /// takes: .list(("device", .objectPath), ("passkey", .uint32))
  /// ```
  package static func list<each Argument: Sendable>(
    _ arguments: repeat (name: String, codec: Codec<each Argument>)
  ) -> Arguments where Value == (repeat each Argument) {
    let codecs = (repeat (each arguments).codec)
    var described: [ExportedArgument] = []
    for argument in repeat each arguments {
      described.append(ExportedArgument(argument.name, argument.codec.signature))
    }
    let count = described.count
    return Arguments(
      described: described,
      decode: { body in
        guard body.count == count else { return nil }
        var rest = body[...]
        return try? (repeat (each codecs).decodeFirst(of: &rest))
      },
      encode: { values in
        var body: [DBusValue] = []
        for (codec, value) in repeat (each codecs, each values) { body.append(codec.encode(value)) }
        return body
      }
    )
  }
}

/// An argument has another type than its codec.
private struct WrongType: Error {}

extension Codec {
  /// Removes the first value and decodes it.
  fileprivate func decodeFirst(of values: inout ArraySlice<DBusValue>) throws -> Value {
    guard let first = values.popFirst(), let value = decode(first) else { throw WrongType() }
    return value
  }
}

/// A method without its Swift types, for lists of methods.
package protocol AnyMethod: Sendable {
  /// The interface of the method.
  var interface: String { get }
  /// The name of the method.
  var name: String { get }
}

/// A method of an interface: its name, its arguments and its results.
package struct Method<Input: Sendable, Output: Sendable>: AnyMethod {
  package let interface: String
  package let name: String
  /// The arguments.
  package let input: Arguments<Input>
  /// The results.
  package let output: Arguments<Output>

  /// A method with arguments and a result.
  package init(
    _ name: String, of interface: String, takes input: Arguments<Input>,
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
  package init(_ name: String, of interface: String, takes input: Arguments<Input>) {
    self.init(name, of: interface, takes: input, returns: .none)
  }
}

extension Method where Input == Void {
  /// A method without arguments.
  package init(_ name: String, of interface: String, returns output: Arguments<Output>) {
    self.init(name, of: interface, takes: .none, returns: output)
  }
}

extension Method where Input == Void, Output == Void {
  /// A method without arguments and without a result.
  package init(_ name: String, of interface: String) {
    self.init(name, of: interface, takes: .none, returns: .none)
  }
}

// MARK: Serving

extension ExportedMethod {
  /// Serves a method.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - body: Receives the arguments, and replies through the invocation.
  package init<Input, Output>(
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
  package init<Output>(
    _ method: Method<Void, Output>, _ body: @escaping @Sendable (_ call: Invocation) -> Void
  ) {
    self.init(method.name, takes: method.input.described, returns: method.output.described, body)
  }
}

extension Invocation {
  /// Replies to the call of a method with its results.
  ///
  /// The compiler checks the types of the results.
  package func reply<Input, Output>(to method: Method<Input, Output>, _ output: Output) {
    reply(method.output.encode(output))
  }
}

// MARK: Calling

extension MethodCall {
  /// A call of a method.
  ///
  /// - Throws: ``DBusNameError`` when a name is not valid.
  package init<Input, Output>(
    _ method: Method<Input, Output>, _ input: Input, on path: ObjectPath, of destination: String
  ) throws(DBusNameError) {
    try self.init(
      destination: destination, path: path, interface: method.interface, member: method.name,
      body: method.input.encode(input)
    )
  }
}
