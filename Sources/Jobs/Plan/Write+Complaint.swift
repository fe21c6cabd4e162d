// What is wrong with a write before anything is sent.

import Bluetooth

extension Write {
  /// Why nothing can be written at the offset, whatever the device; nil where nothing is wrong.
  var misplaced: Complaint? {
    guard offset > 0 else { return nil }
    if kind == .command {
      return Complaint(
        "a write without response carries no offset",
        expected: "a request, or no offset"
      )
    }
    let end = offset + value.octets.count
    guard end > WrittenValue.longest else { return nil }
    return Complaint(
      "the value would end at octet \(end), but an attribute has at most \(WrittenValue.longest)"
    )
  }
}
