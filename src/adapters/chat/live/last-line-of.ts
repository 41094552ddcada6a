/** The last line of what a program printed that has anything in it. */
export function lastLineOf(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}
