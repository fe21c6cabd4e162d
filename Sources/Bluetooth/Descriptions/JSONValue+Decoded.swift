// The JSON of decoded values.

package import Bluetooth
package import Documents

extension JSONValue {
  /// Creates the JSON of a decoded value: fields as an object, bytes as hexadecimal digits.
  package init(decoded value: DecodedValue) {
    switch value {
    case .integer(let integer): self = .number("\(integer)")
    case .real(let real, _): self.init(real)
    case .text(let text): self = .string(text)
    case .boolean(let truth): self = .boolean(truth)
    case .octets: self = .string(value.description)
    case .fields(let fields):
      self = .object(fields.map { Member($0.name, JSONValue(decoded: $0.value)) })
    case .list(let values): self = .array(values.map { JSONValue(decoded: $0) })
    }
  }
}
