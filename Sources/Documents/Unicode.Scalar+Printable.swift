// Which characters a person sees.

extension Unicode.Scalar {
  /// Whether a person sees it where it is, and nothing else happens.
  ///
  /// Controls (also those of C1), line and paragraph separators, and characters without a width or
  /// that reorder others are not printable. Selectors of an emoji's form are.
  ///
  /// - Source: Unicode 15, 4.5 (General Category) and 5.21 (Default Ignorable Code Points); UAX 9,
  ///   2 (directional formatting characters).
  package var isPrintable: Bool {
    switch value {
    case 0x20...0x7e, 0xa0...0xac, 0xae...0x2ff, 0xfe00...0xfe0f: return true
    case 0x0...0x9f: return false
    default: break
    }
    guard !properties.isDefaultIgnorableCodePoint, !properties.isNoncharacterCodePoint else {
      return false
    }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return false
    // open: categories of Unicode
    default: return true
    }
  }
}
