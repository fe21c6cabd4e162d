// A suite's document as a tree, with the place of everything in it.
//
// What the names mean is the business of Reading.

import Documents

/// One element of a document, with its attributes and what lies in it.
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
  /// Text between the children that is not blank; the place of the first of it.
  var text: Place?

  /// The attribute of a name.
  func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }
}
