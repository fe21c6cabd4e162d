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
      ("@0x0012", "@0x0012"), ("@001f", "@0x001f"), ("@0018", "@0x0018"), ("@65535", "@0xffff"),
      (
        "6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40", "6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40"
      ),
    ]
  )
  func reading(text: String, written: String) throws {
    #expect(try CharacteristicSelector(parsing: text).description == written)
  }

  private static let handles =
    "a handle is @0001 to @ffff, @0x1 to @0xffff, or a decimal number that has not four digits"

  @Test(
    "a wrong one says what is wrong, and what it may have meant",
    arguments: [
      (
        "heart-rate-mesurement",
        "'heart-rate-mesurement' is no characteristic (did you mean 'heart-rate-measurement'?)"
      ),
      ("hart-rate/2a37", "'hart-rate' is no service (did you mean 'heart-rate'?)"),
      ("2a37#x", "an instance is a number from 0 after the #"), ("a/b/c", "more than one / in it"),
      ("@0", Self.handles),
      ("@70000", Self.handles),
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

  @Test(
    "a descriptor's is written as it was read",
    arguments: [
      ("2a19/2901", "battery-level/characteristic-user-description"),
      (
        "battery/battery-level#1/client-characteristic-configuration",
        "battery/battery-level#1/client-characteristic-configuration"
      ),
      ("report/2908#2", "report/report-reference#2"), ("@001f", "@0x001f"),
      ("@0x0012/2901", "@0x0012/characteristic-user-description"),
    ]
  )
  func descriptors(text: String, written: String) throws {
    #expect(try DescriptorSelector(parsing: text).description == written)
  }

  @Test(
    "a wrong one of a descriptor says what is wrong",
    arguments: [
      ("battery-level", "a descriptor is characteristic/descriptor, or @ and its handle"),
      ("battery-level/2901#x", "an instance is a number from 0 after the #"),
      (
        "battery-level/valid-rang",
        "'valid-rang' is no descriptor (did you mean 'valid-range'?)"
      ),
      (
        "batery-level/2901",
        "'batery-level' is no characteristic (did you mean 'battery-level'?)"
      ), ("@0", handles),
    ]
  )
  func wrongDescriptors(text: String, complaint: String) {
    do {
      _ = try DescriptorSelector(parsing: text)
      Issue.record("'\(text)' was taken")
    } catch {
      #expect(error.description == complaint)
    }
  }
}
