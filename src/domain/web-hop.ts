/** WEB-07: one request of a web tool, or one that was refused before a socket was opened. */
export interface WebHop {
  /** URL without user name, password and fragment; query values that look secret are redacted. */
  readonly url: string
  readonly host: string
  readonly method: 'GET'
  /** Execution of the call that the request belongs to; undefined for the first (ERR-03). */
  readonly try?: number
  /** Address that was connected to. */
  readonly address?: string
  readonly status?: number
  /** Bytes of the body on the wire. */
  readonly bytes: number
  /** Why the request was not sent, or its response was rejected. */
  readonly blocked?: string
  /** Error that ended the request. */
  readonly error?: string
}
