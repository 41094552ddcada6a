import { randomBytes } from 'node:crypto'

/** Prefix of temporary files that are renamed into place. */
export const draftPrefix = '.countersign-'

/** Returns an unused name. */
export function newDraftName(): string {
  return `${draftPrefix}${randomBytes(9).toString('hex')}`
}

export function isDraftName(name: string): boolean {
  return name.startsWith(draftPrefix) && /^[0-9a-f]{18}$/.test(name.slice(draftPrefix.length))
}
