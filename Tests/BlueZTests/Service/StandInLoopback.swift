// A bus in memory for these tests: routing, owners and pending calls, and nothing of the rest.
//
// It stands in for a loopback bus of the package, under the names that one will have.

import Signals

@testable import DBus

final class LoopbackBus: Sendable {
  struct S {
    var conns: [String: LoopbackConnection] = [:]; var owners: [String: String] = [:]; var n = 0;
    var watchers: [(String, @Sendable (String?) -> Void)] = []
  }
  let s = Guarded(S()); let loop: Loop
  init(on loop: Loop) { self.loop = loop }
  func connect() -> LoopbackConnection {
    s.withLock { s in
      s.n += 1; let c = LoopbackConnection(self, ":1.\(s.n)"); s.conns[c.uniqueName] = c; return c
    }
  }
  func route(_ m: Message) {
    loop.post { [self] in
      if m.kind == .signal {
        for c in s.withLock({ $0.conns.sorted { $0.key < $1.key }.map(\.value) }) { c.hear(m) };
        return
      }
      let dest = m.destination ?? ""
      let (c, sender) = s.withLock { s in (s.conns[s.owners[dest] ?? dest], s.conns[m.sender ?? ""])
      }
      if let c {
        c.receive(m)
      } else if m.kind == .methodCall, !m.noReplyExpected, let sender {
        var r = m.errorReply(DBusError(name: .serviceUnknown, message: "none"));
        r.destination = sender.uniqueName; sender.receive(r)
      }
    }
  }
  func own(_ name: String, _ o: String?) {
    let w = s.withLock { s in
      s.owners[name] = o; return s.watchers.filter { $0.0 == name }
    }; loop.post { for x in w { x.1(o) } }
  }
}
final class LoopbackConnection: MessageBus {
  struct S {
    var serial: UInt32 = 0;
    var pending:
      [UInt32: (Completion<Message>?, (@Sendable (Result<Message, DBusError>) -> Void)?)] = [:]
      ;
    var subs: [(Int, MatchRule, @Sendable (Message) -> Void)] = []; var n = 0;
    var handlers: [any ObjectHandler] = []; var onClose: [@Sendable (BusFailure) -> Void] = [];
    var closed = false; var peers: [UInt32: String] = [:]
  }
  let b: LoopbackBus; let uniqueName: String; let s = Guarded(S())
  init(_ b: LoopbackBus, _ n: String) { self.b = b; uniqueName = n }
  var loop: Loop { b.loop }; var address: String { "mini" }
  func next() -> UInt32 {
    s.withLock {
      $0.serial += 1; return $0.serial
    }
  }
  func call(
    _ call: MethodCall,
    limit: Duration?,
    lateReply: (@Sendable (Result<Message, DBusError>) -> Void)?
  ) async throws -> Message {
    let serial = next(); var m = call.message; m.serial = serial; m.sender = uniqueName
    return try await wait(on: loop, operation: "\(call)", limit: limit) {
      (c: Completion<Message>) in
      if s.withLock({ $0.closed }) { throw BusFailure.closed(address: "mini", reason: "closed") }
      s.withLock { $0.pending[serial] = (c, lateReply) }
      b.route(m)
    }
  }
  func receive(_ m: Message) {
    if m.kind == .methodCall {
      let i = Invocation(message: m, bus: self);
      for h in s.withLock({ $0.handlers }) where h.handle(i) { return };
      i.fail(Invocation.unclaimed(m)); return
    }
    guard let (c, late) = s.withLock({ $0.pending.removeValue(forKey: m.replySerial ?? 0) }) else {
      return
    }
    let err = DBusError(m)
    let won = c?.end(err.map { .failure($0) } ?? .success(m)) ?? false
    if !won { late?(err.map { .failure($0) } ?? .success(m)) }
  }
  func hear(_ m: Message) {
    let subs = s.withLock { $0.subs };
    for (_, r, h) in subs
    where r.matches(m, resolvingSender: { n in self.b.s.withLock { $0.owners[n] } }) { h(m) }
  }
  func send(_ message: Message) throws {
    if s.withLock({ $0.closed }) { throw BusFailure.closed(address: "mini", reason: "closed") };
    var m = message; m.serial = next(); m.sender = uniqueName; b.route(m)
  }
  func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) async throws
    -> Subscription
  {
    let id = s.withLock { s in
      s.n += 1; s.subs.append((s.n, rule, handler)); return s.n
    }; return Subscription { [self] in s.withLock { $0.subs.removeAll { $0.0 == id } } }
  }
  func requestName(_ name: String, flags: NameRequestFlags) async throws -> NameRequestReply {
    b.own(name, uniqueName); return .primaryOwner
  }
  func releaseName(_ name: String) async throws { b.own(name, nil) }
  func nameOwner(_ name: String) async throws -> String? { b.s.withLock { $0.owners[name] } }
  func watchOwner(of name: String, _ changed: @escaping @Sendable (String?) -> Void) async throws
    -> Subscription
  {
    b.s.withLock { $0.watchers.append((name, changed)) }; changed(b.s.withLock { $0.owners[name] });
    return Subscription {}
  }
  func export(_ handler: any ObjectHandler) throws -> Export {
    s.withLock { $0.handlers.append(handler) }; return Export {}
  }
  func onClose(_ handler: @escaping @Sendable (BusFailure) -> Void) {
    s.withLock { $0.onClose.append(handler) }
  }
  func close() {
    let (p, h) = s.withLock { s in
      s.closed = true; defer { s.pending = [:] };
      return (s.pending.sorted { $0.key < $1.key }, s.onClose)
    }; let f = BusFailure.closed(address: "mini", reason: "closed");
    for x in p { x.value.0?.fail(f) }; for x in h { loop.post { x(f) } };
    b.s.withLock { $0.conns[uniqueName] = nil };
    for n in b.s.withLock({ s in s.owners.filter { $0.value == uniqueName }.map(\.key) }) {
      b.own(n, nil)
    }
  }
}
