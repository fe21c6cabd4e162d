// Which chains a gateway runs.

import Bluetooth
import Fleet
import Jobs
import Testing

@Suite("Chains that a gateway allows")
struct ChainPolicyTests {
  private static let digest = String(repeating: "a", count: 64)

  private func policy(_ change: (inout ChainPolicy) -> Void) -> ChainPolicy {
    var policy = ChainPolicy()
    change(&policy)
    return policy
  }

  @Test("without a limit every chain is allowed")
  func unlimited() throws {
    let plan = try Plan.parse(line: "unpair")
    #expect(ChainPolicy().refusal(of: plan, digest: Self.digest) == nil)
  }

  @Test("a chain is allowed by its digest, whatever it does")
  func byDigest() throws {
    let policy = policy { $0.chains = [Self.digest] }
    let plan = try Plan.parse(line: "unpair")
    #expect(policy.refusal(of: plan, digest: Self.digest) == nil)
    let other = String(repeating: "b", count: 64)
    #expect(
      policy.refusal(of: plan, digest: other)
        == "this gateway does not allow chain \(other), which removes the bond"
    )
  }

  @Test(
    "a chain is allowed if it uses only allowed characteristics",
    arguments: [
      ("read battery-level; sleep 1s; log done", nil),
      ("read battery/battery-level", nil),
      ("read heart-rate/body-sensor-location", nil),
      ("read body-sensor-location", "uses body-sensor-location"),
      ("read battery-level; read body-sensor-location", "uses body-sensor-location"),
      ("repeat 2 { read firmware-revision-string }", "uses firmware-revision-string"),
      ("read @3", "uses @0x0003"), ("trust", "changes what the device is trusted with"),
      ("pair", "pairs"),
    ] as [(String, String?)]
  )
  func byCharacteristic(chain: String, excess: String?) throws {
    let policy = policy {
      $0.characteristics = ["battery-level", "heart-rate/body-sensor-location"]
    }
    let refusal = policy.refusal(of: try Plan.parse(line: chain), digest: Self.digest)
    #expect(
      refusal == excess.map { "this gateway does not allow chain \(Self.digest), which \($0)" }
    )
  }

  @Test("a chain that forgets the device is refused, because that removes the bond")
  func fresh() throws {
    var plan = try Plan.parse(line: "read battery-level")
    plan.link.isFresh = true
    let policy = policy { $0.characteristics = ["battery-level"] }
    #expect(policy.refusal(of: plan, digest: Self.digest)?.hasSuffix("forgets the device") == true)
  }
}
