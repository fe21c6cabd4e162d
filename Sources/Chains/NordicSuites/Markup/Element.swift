// The tree of an XML document, with the places of its elements and attributes.
//
// It does not know what the names mean; the folder Reading does.

import Documents

/// One element of a document, with its attributes and children.
struct Element: Hashable, Sendable {
  /// One attribute, in the order of the file.
  struct Attribute: Hashable, Sendable {
    let name: String
    /// The text with its entities resolved.
    let value: String
    let place: Place
  }

  let name: String
  let place: Place
  var attributes: [Attribute]
  var children: [Element] = []
  /// The place of the first text between the children other than white space.
  var text: Place?

  /// Returns the attribute with a name; nil if there is none.
  func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }
}
