/** What stands in the place of a secret. */
export function redactionMark(kind: string): string {
  return `[redacted:${kind}]`
}

const mark = /^\[redacted:[a-z0-9-]+\]$/

export function isRedactionMark(text: string): boolean {
  return mark.test(text)
}
