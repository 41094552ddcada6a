/** A driver cannot start boxes on this machine; the message says why and how to mend it. */
export class SandboxUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SandboxUnavailable'
  }
}
