import { randomBytes } from 'node:crypto'

/** What is written beside its place before it is put there; nobody else's name is so. */
export const draftPrefix = '.countersign-'

/** A name that nothing has. */
export function newDraftName(): string {
  return `${draftPrefix}${randomBytes(9).toString('hex')}`
}

export function isDraftName(name: string): boolean {
  return name.startsWith(draftPrefix) && /^[0-9a-f]{18}$/.test(name.slice(draftPrefix.length))
}
