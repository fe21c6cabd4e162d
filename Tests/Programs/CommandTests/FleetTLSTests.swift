// A fleet whose server uses TLS, with certificates of the test's own: each member is a process with its OpenSSL.

#if Fleet
  import Fixtures
  import Foundation
  import Testing

  /// The certificates of a test: an authority, a server and a client, made as the page says.
  private struct Certificates {
    static var isInstalled: Bool { access("/usr/bin/openssl", X_OK) == 0 }

    let folder: TemporaryFolder

    /// - Parameter host: The name in the server's certificate.
    init(host: String) throws {
      folder = try TemporaryFolder()
      let page = try #require(
        try Example(in: "docs/fleet.md").blocks("bash").first { $0.contains("openssl req") }
      )
      let member = try #require(page.range(of: "openssl req -newkey"))
      let client = page[member.lowerBound...].replacingOccurrences(of: "server.", with: "client.")
        .replacingOccurrences(of: "nats.example.org", with: "gateway")
      let server = page.replacingOccurrences(of: "nats.example.org", with: host)
      for script in [server, client] {
        let run = try RunningProgram(["/bin/sh", "-ec", script], in: folder.path).end()
        try #require(run.status == 0, "\(run.errors)")
      }
    }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// The configuration of a server with them.
    var server: String {
      """
      jetstream { store_dir: "store" }
      tls {
        cert_file: "\(path("server.pem"))"
        key_file: "\(path("server.key"))"
        ca_file: "\(path("ca.pem"))"
        verify: true
      }
      """
    }
  }

  @Suite(
    "A fleet with TLS",
    .blocking,
    .needsNATSServer,
    .enabled(if: Certificates.isInstalled, "openssl is not installed")
  )
  struct FleetTLSTests {
    private func status(
      _ server: NATSServer, _ certificates: Certificates, _ options: [String]
    ) throws -> RunningProgram.Ended {
      try RunningProgram(
        blerun: ["fleet", "status", "--fleet", "tls://localhost:\(server.port)/hall"] + options,
        in: certificates.folder.path, limit: .seconds(300)
      ).end()
    }

    private static let all = [
      "--fleet-ca", "ca.pem", "--fleet-cert", "client.pem", "--fleet-key", "client.key",
    ]

    @Test("a member with a certificate is accepted, and it trusts only the given authority")
    func mutual() throws {
      let certificates = try Certificates(host: "localhost")
      let server = try NATSServer(certificates.server)
      let known = try status(server, certificates, Self.all)
      #expect(known.status == 0, "\(known.account)")
      #expect(known.output.contains("gateways  0"))
      // Without the authority, the server is not trusted; without a certificate, the member is not.
      for options in [Array(Self.all.dropFirst(2)), Array(Self.all.prefix(2))] {
        let unknown = try status(server, certificates, options)
        #expect(unknown.status == 69 && unknown.output == "", "\(options): \(unknown.errors)")
      }
      let other = try Certificates(host: "localhost")
      let foreign = try status(server, other, Self.all)
      #expect(foreign.status == 69 && foreign.output == "", "\(foreign.errors)")
      let half = try status(server, certificates, ["--fleet-cert", "client.pem"])
      #expect(half.status == 2 && half.errors.contains("go together"), "\(half.errors)")
    }

    @Test("a server whose certificate is for another host is refused")
    func otherHost() throws {
      let certificates = try Certificates(host: "nats.example.org")
      let server = try NATSServer(certificates.server)
      let other = try status(server, certificates, Self.all)
      #expect(other.status == 69 && other.output == "", "\(other.errors)")
    }
  }
#endif
