// An object described in XML, for Introspect.

/// Writes the description of a node.
///
/// - Source: D-Bus Specification 0.41, "Introspection Data Format".
struct IntrospectionDocument {
  let interfaces: [ExportedInterface]
  let children: [String]

  /// The document.
  var text: String {
    var lines = [
      "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"",
      "\"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">",
      "<node>",
    ]
    for interface in interfaces { lines += Self.lines(of: interface) }
    // Names of nodes are made of letters, digits and underscores: nothing needs escaping.
    lines += children.map { "  <node name=\"\($0)\"/>" }
    return lines.joined(separator: "\n") + "\n</node>\n"
  }

  private static func lines(of interface: ExportedInterface) -> [String] {
    var lines = ["  <interface name=\"\(interface.name)\">"]
    for method in interface.methods {
      let arguments =
        method.arguments.map { argument($0, direction: "in") }
        + method.results.map { argument($0, direction: "out") }
      lines += element("method", method.name, arguments)
    }
    for signal in interface.signals {
      lines += element("signal", signal.name, signal.arguments.map { argument($0, direction: nil) })
    }
    for property in interface.properties {
      let access = property.set == nil ? "read" : "readwrite"
      lines.append(
        "    <property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"\(access)\"/>"
      )
    }
    return lines + ["  </interface>"]
  }

  private static func element(_ kind: String, _ name: String, _ inner: [String]) -> [String] {
    guard !inner.isEmpty else { return ["    <\(kind) name=\"\(name)\"/>"] }
    return ["    <\(kind) name=\"\(name)\">"] + inner + ["    </\(kind)>"]
  }

  private static func argument(_ argument: ExportedArgument, direction: String?) -> String {
    let direction = direction.map { " direction=\"\($0)\"" } ?? ""
    return "      <arg name=\"\(argument.name)\" type=\"\(argument.signature)\"\(direction)/>"
  }
}
