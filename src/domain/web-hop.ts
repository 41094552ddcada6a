/** WEB-07: one request of a web tool, or one that was refused before any socket. */
export interface WebHop {
  /** Without user name, password and fragment; values of the query that look secret are taken out. */
  readonly url: string
  readonly host: string
  readonly method: 'GET'
  /** Which try of the call it belongs to; undefined: the first (ERR-03). */
  readonly try?: number
  /** Where it was connected to. */
  readonly address?: string
  readonly status?: number
  /** Of the body, as they came over the wire. */
  readonly bytes: number
  /** Why it was not sent, or what it answered was not taken. */
  readonly blocked?: string
  /** How it failed. */
  readonly error?: string
}
