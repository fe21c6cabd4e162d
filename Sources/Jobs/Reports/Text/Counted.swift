// A count with its noun.

/// `1 device`, `3 devices`.
///
/// - Parameter noun: The singular; the plural adds an s.
package func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}
