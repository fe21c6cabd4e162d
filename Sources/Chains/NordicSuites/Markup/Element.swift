// A document as a tree, with the places of its elements and attributes.
//
// The meaning of the names is in Reading.

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
  /// The place of the first text between the children that is not white space.
  var text: Place?

  /// The attribute with a name.
  func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }
}
