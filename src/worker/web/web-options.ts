import type { WebRules } from '../../rules/web/check-url.ts'

/** Operator's settings for the web tools (`[tools.scrape]`). */
export interface WebOptions {
  readonly rules: WebRules
  /** WEB-05: time limit of the whole exchange, including redirects and reading the page. */
  readonly timeoutMs: number
  /** WEB-05: size limit of a body, both compressed and decompressed. */
  readonly maxBodyBytes: number
  /** Returns Unix milliseconds. */
  readonly now: () => number
}

/** WEB-08: allows tests to serve pages locally. The program has no way to set it. */
export interface WebHooksForTests {
  /** Name servers as `address:port` that replace the system's. */
  readonly nameServers: readonly string[]
  /** Certificate authorities in PEM that replace the default ones. */
  readonly ca: string
  /** Addresses that may be connected to although they are not public. */
  readonly mayReach: (address: string) => boolean
}
