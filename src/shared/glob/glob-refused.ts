/** Thrown by the glob parser for unsupported patterns. The message is one clause without a full stop. */
export class GlobRefused extends Error {
  override readonly name = 'GlobRefused'
}

export function refuse(why: string): never {
  throw new GlobRefused(why)
}
