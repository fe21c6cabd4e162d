// How characteristics are named, and what is said of wrong names.

import Bluetooth
import Testing

@Suite("Characteristic selectors")
struct SelectorTests {
  @Test(
    "is written as it was read",
    arguments: [
      ("heart-rate-measurement", "heart-rate-measurement"), ("2a37", "heart-rate-measurement"),
      ("heart-rate/2A37#1", "heart-rate/heart-rate-measurement#1"), ("@18", "@0x0012"),
      ("@0x0012", "@0x0012"),
      (
        "6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40", "6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40"
      ),
    ]
  )
  func reading(text: String, written: String) throws {
    #expect(try CharacteristicSelector(parsing: text).description == written)
  }

  @Test(
    "a wrong one says what is wrong, and what it may have meant",
    arguments: [
      (
        "heart-rate-mesurement",
        "'heart-rate-mesurement' is no characteristic (did you mean 'heart-rate-measurement'?)"
      ),
      ("hart-rate/2a37", "'hart-rate' is no service (did you mean 'heart-rate'?)"),
      ("2a37#x", "an instance is a number from 0 after the #"), ("a/b/c", "more than one / in it"),
      ("@0", "a handle is @1 to @65535, or @0x0001 to @0xffff"),
      ("@70000", "a handle is @1 to @65535, or @0x0001 to @0xffff"),
    ]
  )
  func wrong(text: String, complaint: String) {
    do {
      _ = try CharacteristicSelector(parsing: text)
      Issue.record("'\(text)' was taken")
    } catch {
      #expect(error.description == complaint)
    }
  }
}
