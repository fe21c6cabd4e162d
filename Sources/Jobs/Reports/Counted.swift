// So many of something, in words.

/// `1 device`, `3 devices`.
///
/// - Parameter noun: One of them; several have an s behind it.
package func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}
