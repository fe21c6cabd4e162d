// An interface of org.bluez as bluetoothd describes it: its methods and properties, in order.

package import DBus

/// The methods and properties of an interface, in the order in which bluetoothd describes and lists
/// them.
package struct InterfaceDeclaration: Sendable {
  package let name: String
  package let methods: [any AnyMethod]
  package let properties: [any AnyProperty]

  package init(_ name: String, methods: [any AnyMethod] = [], properties: [any AnyProperty] = []) {
    self.name = name
    self.methods = methods
    self.properties = properties
  }

  /// The interface with these implementations, in the declared order.
  ///
  /// A declared property without an implementation is described, but has no value. Members that a
  /// release does not describe are not served.
  ///
  /// - Parameter version: The release to serve; nil to serve all given members.
  /// - Precondition: Every method and every property that is always present has an implementation,
  ///   and there is no implementation of an undeclared member.
  package func exported(
    by version: BlueZVersion? = nil, methods served: [ExportedMethod] = [],
    properties values: [ExportedProperty] = []
  ) -> ExportedInterface {
    var (served, values) = (served[...], values[...])
    let methods = methods.map { method in
      guard let method = Self.removeFirst(&served, where: { $0.name == method.name }) else {
        preconditionFailure("\(method.name) of \(name) is not served")
      }
      return method
    }
    let properties = properties.compactMap { property -> ExportedProperty? in
      let value = Self.removeFirst(&values) { $0.name == property.name }
      guard version.map({ property.isDescribed(by: $0) }) ?? true else { return nil }
      if let value { return value }
      precondition(property.presence != .always, "\(property.name) of \(name) has no value")
      return ExportedProperty(property.name, property.signature) { nil }
    }
    precondition(served.isEmpty && values.isEmpty, "more is served than \(name) describes")
    return ExportedInterface(name, methods: methods, properties: properties)
  }

  /// Removes and returns the first item that matches a condition. It is mostly the first item.
  private static func removeFirst<Item>(
    _ items: inout ArraySlice<Item>, where matches: (Item) -> Bool
  ) -> Item? {
    guard let index = items.firstIndex(where: matches) else { return nil }
    return index == items.startIndex ? items.removeFirst() : items.remove(at: index)
  }
}
