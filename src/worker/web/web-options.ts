import type { WebRules } from '../../rules/web/check-url.ts'

/** What the operator set for the web tools (`[tools.scrape]`). */
export interface WebOptions {
  readonly rules: WebRules
  /** WEB-05: time for the whole exchange, redirects and reading the page included. */
  readonly timeoutMs: number
  /** WEB-05: of a body, as it comes over the wire and decompressed. */
  readonly maxBodyBytes: number
  /** Unix milliseconds. */
  readonly now: () => number
}

/** WEB-08: what a test needs to serve pages from its own machine. The program that is run has no way to name it. */
export interface WebHooksForTests {
  /** `address:port` of name servers to be asked in the place of the system's. */
  readonly nameServers: readonly string[]
  /** Certificate authorities that are trusted beside none of the usual ones; PEM. */
  readonly ca: string
  /** Addresses that may be connected to though they are not public. */
  readonly mayReach: (address: string) => boolean
}
