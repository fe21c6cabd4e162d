// The XML description of an object, for Introspect.

/// The description of a node, in the layout of gdbus; of a node without interfaces, in that of
/// libdbus.
///
/// - Source: D-Bus Specification 0.41, "Introspection Data Format"; BlueZ 5.66, `gdbus/object.c`
///   (generate_introspection_xml); libdbus 1.14, `dbus/dbus-object-tree.c`.
struct IntrospectionDocument {
  let interfaces: [ExportedInterface]
  let children: [String]

  /// The XML document.
  var text: String {
    let head =
      "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"\n"
      + "\"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">\n<node>"
    // Names of nodes consist of letters, digits and underscores: nothing needs escaping.
    let nodes = children.map { "<node name=\"\($0)\"/>" }
    guard !interfaces.isEmpty else {
      return head + "\n" + nodes.map { "  \($0)\n" }.joined() + "</node>\n"
    }
    return head + interfaces.map(Self.text).joined() + nodes.joined() + "</node>"
  }

  private static func text(of interface: ExportedInterface) -> String {
    var text = "<interface name=\"\(interface.name)\">"
    for method in interface.methods {
      text += "<method name=\"\(method.name)\">"
      text += method.arguments.map { argument($0, direction: "in") }.joined()
      text += method.results.map { argument($0, direction: "out") }.joined()
      text += "</method>"
    }
    for signal in interface.signals {
      text += "<signal name=\"\(signal.name)\">"
      text += signal.arguments.map { argument($0, direction: nil) }.joined()
      text += "</signal>\n"
    }
    for property in interface.properties {
      let access = property.set == nil ? "read" : "readwrite"
      text += "<property name=\"\(property.name)\" type=\"\(property.signature)\""
      text += " access=\"\(access)\"></property>"
    }
    return text + "</interface>"
  }

  private static func argument(_ argument: ExportedArgument, direction: String?) -> String {
    let direction = direction.map { " direction=\"\($0)\"" } ?? ""
    return "<arg name=\"\(argument.name)\" type=\"\(argument.signature)\"\(direction)/>\n"
  }
}
