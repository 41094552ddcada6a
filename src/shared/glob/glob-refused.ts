/** Thrown inside the glob parser for a pattern outside the language; the message is one clause, without a full stop. */
export class GlobRefused extends Error {
  override readonly name = 'GlobRefused'
}

export function refuse(why: string): never {
  throw new GlobRefused(why)
}
