import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'

/** An address that says nothing is given up for the next one; Node's own 250 ms are too short for a far one. */
const addressMs = 2_000

/** Connections of one request. Disposing ends them, whatever they are at. */
export interface PinnedAgent extends AsyncDisposable {
  readonly dispatcher: Agent
  /** Where it was connected to, once it was. */
  readonly connectedTo: () => string | undefined
}

/**
 * WEB-03: connects to these addresses and no others, whatever a name resolves to by then; the certificate has to be good
 * for the name. An agent of its own knows no proxy, whatever the environment says, and keeps nothing beyond its request.
 */
export function createPinnedAgent(addresses: readonly string[], ca?: string): PinnedAgent {
  const connector = buildConnector({
    lookup: pinnedTo(addresses),
    // Said outright: NODE_TLS_REJECT_UNAUTHORIZED would change what is not.
    rejectUnauthorized: true,
    allowH2: false,
    timeout: 0,
    autoSelectFamilyAttemptTimeout: addressMs,
    maxCachedSessions: 0,
    ...(ca === undefined ? {} : { ca }),
  })
  let connected: string | undefined
  const dispatcher = new Agent({
    connect: (options, callback) =>
      connector(options, (error, socket) => {
        connected = socket?.remoteAddress
        if (error === null && socket !== null) callback(null, socket)
        else callback(error ?? new Error('no connection'), null)
      }),
    connections: 1,
    pipelining: 0,
    // Time is kept by the signal of the whole exchange alone.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    dispatcher,
    connectedTo: () => connected,
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}

function pinnedTo(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, { all }, callback) => {
    const [first] = entries
    if (first === undefined) callback(new Error('no address is known'), '')
    else if (all === true) callback(null, entries)
    else callback(null, first.address, first.family)
  }
}
