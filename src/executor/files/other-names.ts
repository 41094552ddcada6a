/** Describes a file's further hard links; undefined if it has none. Their locations are unknown. */
export function otherNames(links: number): string | undefined {
  if (links < 2) return undefined
  return links === 2 ? '1 other name (a hard link)' : `${links - 1} other names (hard links)`
}

/** Returns a note for a call that replaced a file with further hard links; otherwise an empty text. */
export function leftBehind(links: number): string {
  const names = otherNames(links)
  return names === undefined ? '' : `\n(the file had ${names}: what it held is still there)`
}
