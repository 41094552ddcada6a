/** A file's hard links beside the name it was reached by, in words; undefined where it has none. Where they lie cannot be known. */
export function otherNames(links: number): string | undefined {
  if (links < 2) return undefined
  return links === 2 ? '1 other name (a hard link)' : `${links - 1} other names (hard links)`
}

/** A line for the result of a call that has put a new file in the place of one with other names; else nothing. */
export function leftBehind(links: number): string {
  const names = otherNames(links)
  return names === undefined ? '' : `\n(the file had ${names}: what it held is still there)`
}
