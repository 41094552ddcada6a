/**
 * The only way out of a box without network (MCP-04): the proxy of this one box. The worker starts boxes, but may not know how they are
 * let out. Disposing ends all connections.
 */
export interface EgressProxy extends AsyncDisposable {
  /** Path of its Unix socket on the host, `egress.sock` in the directory. */
  readonly socket: string
}

export interface EgressOptions {
  /**
   * Directory on the host for the socket, made with mode 0700 if it is absent. Its path has at most 90 bytes. A socket that a former
   * process left is replaced.
   */
  readonly directory: string
  /** User who may connect, if not our own; root only. */
  readonly owner?: SocketOwner
  /**
   * Hosts that may be reached: `api.example.com`, `*.example.com`, `*`, `host:port` or an address, by TLS, and after `http://` without
   * it. Rejects if one is none of these.
   */
  readonly hosts: readonly string[]
  readonly limits?: EgressLimits
  readonly ask?: AskForHost
  /** Takes the record of each connection. Must not throw. */
  readonly observe: (event: EgressEvent) => void
}

/** User and group ids on the host. */
export interface SocketOwner {
  readonly uid: number
  readonly gid: number
}

/** Limits of one proxy, positive integers; the adapter has defaults for all but `bytes`. Names in `Ms` are milliseconds. */
export interface EgressLimits {
  /** Bytes of the head of a request. */
  readonly headerBytes?: number
  /** Until a head is whole. */
  readonly headerMs?: number
  /** Connections of the program at once; further ones are answered with 503. */
  readonly connections?: number
  /** For looking a name up, and again for connecting. */
  readonly connectMs?: number
  /** From the answer to CONNECT to a whole ClientHello. */
  readonly helloMs?: number
  /** Without a byte in either direction. */
  readonly idleMs?: number
  /** Without a byte once one of both sides has ended. */
  readonly halfOpenMs?: number
  /** Bytes in both directions together, of one connection; absent: no limit. */
  readonly bytes?: number
  /** How long a connection waits for an answer of `ask`. */
  readonly askMs?: number
  /** Questions that wait for an answer at once; what is beyond is refused without one. */
  readonly pendingAsks?: number
  /** New questions within an hour; likewise. */
  readonly asksPerHour?: number
}

/**
 * Answers for a public name that is not in the list; absent: all are refused. Calls for the same host and port while one waits get its
 * answer. `allow` holds for the connections that wait when it comes, and for no later one: remember what holds longer, and answer the
 * next call at once. A rejection denies. The connections may have given up when the answer comes.
 */
export type AskForHost = (host: string, port: number) => Promise<'allow' | 'deny'>

/** Record of one connection or, without TLS, of one request; emitted when it has ended. */
export interface EgressEvent {
  /** As normalised; as it was written, shortened, where that is not a host; empty if none was named. */
  readonly host: string
  /** 0 if none was named. */
  readonly port: number
  /** IP address that was connected to. */
  readonly address?: string
  readonly outcome: 'allowed' | 'refused'
  /** Why it was refused, or broken off. */
  readonly why?: string
  /** Bytes that the host was sent and that it sent, without our own answers. */
  readonly bytesUp: number
  readonly bytesDown: number
  readonly ms: number
}
